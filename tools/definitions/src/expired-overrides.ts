import type { ConstraintOverride, SeriesDefinition } from './types.ts';

/** The overrides of a series whose last day is before `day` (`2026-12-31`), which somebody must look at again. */
export function expiredOverrides({ overrides }: SeriesDefinition, day: string): readonly ConstraintOverride[] {
  return overrides.filter(({ expires }) => expires < day);
}
