import type { RequirementCondition } from '#definitions';

/**
 * Whether the condition `when` is true; always if it is absent. `bound` returns whether a
 * requirement of this name is met.
 */
export function isMet(
  when: RequirementCondition | undefined,
  bound: (requirement: string) => boolean,
): boolean {
  const [, not, requirement = ''] = /^(not )?requires\.(.*)$/.exec(when ?? '') ?? [];
  return when === undefined || bound(requirement) === (not === undefined);
}
