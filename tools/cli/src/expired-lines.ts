import { formatPosition } from '#core';
import { expiredOverrides, type SeriesDefinition } from '#definitions';

/** A line for each constraint override of the series that has expired by now: where it stands, what it replaces, and why. */
export function expiredLines(series: SeriesDefinition, now = new Date()): readonly string[] {
  return expiredOverrides(series, now.toISOString().slice(0, 10)).map(({ requirement, reason, expires, at }) => {
    const place = at === undefined ? '' : `${formatPosition(at)}: `;
    return `${place}the override ${requirement} expired on ${expires}: ${reason}; drop it, or give it a later day`;
  });
}
