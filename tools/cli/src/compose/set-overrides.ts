import type { SeriesDefinition } from '#definitions';
import type { ImageSet } from '#release';

/** The overrides of a series in the form of its image sets; empty without overrides. */
export function setOverrides(series: SeriesDefinition): Pick<ImageSet, 'overrides'> {
  if (series.overrides.length === 0) return {};
  return {
    overrides: series.overrides.map(({ requirement, reason, expires }) => ({
      requirement,
      reason,
      expires,
    })),
  };
}
