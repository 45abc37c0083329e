import { counted } from '#core';
import type { LiveObject } from '#ports';

/**
 * How far an object is: `done` where it is what was asked for, `failed` where it will not get there by itself. The reason of the
 * other two is a clause that follows the object's name: `2 of 3 pods are ready`. `follows` marks one that only follows from what its
 * pods lack, and is told after it.
 */
export type Assessment =
  | { readonly state: 'done' }
  | { readonly state: 'progressing'; readonly reason: string; readonly follows?: true }
  | { readonly state: 'failed'; readonly reason: string };

/** A condition in the status of an object. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  /** The form of the object that it is about. */
  readonly observedGeneration?: number;
}

/** The condition of a type that holds, of an object with a status. */
export function holds(status: { readonly conditions?: readonly Condition[] } | undefined, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type && condition.status === 'True');
}

/** `reason: message` of a condition, as far as it has them. */
export function conditionText({ reason, message }: Pick<Condition, 'reason' | 'message'>): string {
  return [reason, message].filter((part) => part !== undefined && part !== '').join(': ');
}

/** What was asked for is there. */
export const DONE: Assessment = { state: 'done' };

/** On the way; `reason` is a clause as of `Assessment`. */
export function progressing(reason: string): Extract<Assessment, { state: 'progressing' }> {
  return { state: 'progressing', reason };
}

/** It will not get there by itself; `reason` is a clause as of `Assessment`. */
export function failed(reason: string): Assessment {
  return { state: 'failed', reason };
}

/** Whether a condition is about the present form of its object, as one that names no form is. */
export function isOfNow({ observedGeneration }: Condition, { metadata: { generation = 0 } }: LiveObject): boolean {
  return (observedGeneration ?? generation) >= generation;
}

/** `1 pod is`, `2 pods are`. */
export function count(number: number, what: string): string {
  return `${counted(number, what)} ${number === 1 ? 'is' : 'are'}`;
}
