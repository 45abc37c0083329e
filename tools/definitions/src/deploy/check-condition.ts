import type { AppSpec } from './app-spec.ts';
import type { Condition } from './config-spec.ts';
import type { SpecFindings, SpecPath } from './spec-findings.ts';

/** A condition that names no optional requirement; `path` is that of what depends on it. */
export function checkCondition({ requires = {} }: AppSpec, path: SpecPath, when: Condition | undefined, { known }: SpecFindings): void {
  if (when === undefined) return;
  const optional = Object.entries(requires)
    .filter(([, requirement]) => requirement.optional === true)
    .map(([key]) => key);
  known([...path, 'when'], 'optional requirement', when.slice(when.indexOf('.') + 1), optional);
}
