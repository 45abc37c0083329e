import type { ConstraintOverride, SeriesDefinition } from './types.ts';

/** The overrides of a series that expired before `day` (`2026-12-31`). */
export function expiredOverrides(
  { overrides }: SeriesDefinition,
  day: string,
): readonly ConstraintOverride[] {
  return overrides.filter(({ expires }) => expires < day);
}
