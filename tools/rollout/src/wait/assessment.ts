import { counted } from '#core';
import type { Condition, LiveObject } from '#ports';

/**
 * The progress of an object: `done` if it matches its spec, `failed` if it cannot get there by
 * itself. The reason is a clause that follows the object's name: `2 of 3 pods are ready`. `follows`
 * marks a reason that is only a consequence of pod failures and is printed after them.
 */
export type Assessment =
  | { readonly state: 'done' }
  | { readonly state: 'progressing'; readonly reason: string; readonly follows?: true }
  | { readonly state: 'failed'; readonly reason: string };

/** The condition of a type if it is true. */
export function holds(
  status: { readonly conditions?: readonly Condition[] } | undefined,
  type: string,
): Condition | undefined {
  return status?.conditions?.find(
    (condition) => condition.type === type && condition.status === 'True',
  );
}

/** `reason: message` of a condition, with the parts that it has. */
export function conditionText({ reason, message }: Pick<Condition, 'reason' | 'message'>): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** The object matches its spec. */
export const DONE: Assessment = { state: 'done' };

/** In progress; `reason` is a clause as in `Assessment`. */
export function progressing(reason: string): Extract<Assessment, { state: 'progressing' }> {
  return { state: 'progressing', reason };
}

/** Cannot be reached by itself; `reason` is a clause as in `Assessment`. */
export function failed(reason: string): Assessment {
  return { state: 'failed', reason };
}

/**
 * Whether a condition is about the current generation of its object; true if it names no
 * generation.
 */
export function isCurrentCondition(
  { observedGeneration }: Condition,
  { metadata: { generation = 0 } }: LiveObject,
): boolean {
  return (observedGeneration ?? generation) >= generation;
}

/** `1 pod is`, `2 pods are`. */
export function countText(number: number, what: string): string {
  return `${counted(number, what)} ${number === 1 ? 'is' : 'are'}`;
}
