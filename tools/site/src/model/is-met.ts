import type { RequirementCondition } from '#definitions';

/** Whether what depends on `when` counts: always where that is absent. `bound` tells of a requirement, by its name, whether something meets it. */
export function isMet(
  when: RequirementCondition | undefined,
  bound: (requirement: string) => boolean,
): boolean {
  const [, not, requirement = ''] = /^(not )?requires\.(.*)$/.exec(when ?? '') ?? [];
  return when === undefined || bound(requirement) === (not === undefined);
}
