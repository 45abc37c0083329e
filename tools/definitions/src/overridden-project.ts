import { normaliseProject } from '#formats';
import type { ConstraintOverride } from './types.ts';

/** Normalised name of the project whose constraint an override replaces. */
export function overriddenProject({
  requirement,
}: Pick<ConstraintOverride, 'requirement'>): string {
  return normaliseProject(requirement.split('=', 1)[0]!);
}
