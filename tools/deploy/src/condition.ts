import type { Condition } from '#definitions';

/** Whether a condition holds, where `met` tells of `requires.<name>` whether it is met. */
export function holds(condition: Condition, met: (requirement: string) => boolean): boolean {
  const [requirement = '', not] = condition.split(' ').reverse();
  return met(requirement) === (not === undefined);
}
