import type { SeriesDefinition } from '#definitions';
import type { ImageSet } from '#release';

/** The overrides of a series as its image sets list them; nothing where it has none. */
export function setOverrides(series: SeriesDefinition): Pick<ImageSet, 'overrides'> {
  if (series.overrides.length === 0) return {};
  return { overrides: series.overrides.map(({ requirement, reason, expires }) => ({ requirement, reason, expires })) };
}
