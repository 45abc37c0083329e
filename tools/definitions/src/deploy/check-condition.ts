import type { AppSpec } from './app-spec.ts';
import type { RequirementCondition } from './config-spec.ts';
import type { SpecFindings, SpecPath } from './spec-findings.ts';

/**
 * Refuses a condition that does not name an optional requirement; `path` is the path of its owner.
 */
export function checkRequirementCondition(
  { requires = {} }: AppSpec,
  path: SpecPath,
  when: RequirementCondition | undefined,
  { known }: SpecFindings,
): void {
  if (when === undefined) return;
  const optional = Object.entries(requires)
    .filter(([, requirement]) => requirement.optional === true)
    .map(([key]) => key);
  known([...path, 'when'], 'optional requirement', when.slice(when.indexOf('.') + 1), optional);
}
