import { formatPosition } from '#core';
import { expiredOverrides, type SeriesDefinition } from '#definitions';

/** A line for each expired constraint override of the series, with its position and reason. */
export function expiredLines(series: SeriesDefinition, now = new Date()): readonly string[] {
  return expiredOverrides(series, now.toISOString().slice(0, 10)).map(
    ({ requirement, reason, expires, at }) => {
      const place = at === undefined ? '' : `${formatPosition(at)}: `;
      return `${place}the override ${requirement} expired on ${expires}: ${reason}; remove it, or set a later date`;
    },
  );
}
