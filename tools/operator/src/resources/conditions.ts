import { redact } from '#core';
import type { TimedCondition } from './types.ts';

/** The state of a condition with its reason, a word, and a message for people. */
export interface Verdict {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** The conditions of a resource; Reconciling and Stalled have the meaning of kstatus. */
export interface Verdicts {
  readonly Ready: Verdict;
  readonly Reconciling: Verdict;
  readonly Stalled: Verdict;
  readonly UpgradeAvailable: Verdict;
}

const LONGEST_MESSAGE = 2048;

/**
 * The conditions as the API has them, with messages without secrets; the time of a condition
 * changes only with its status. `now` is RFC 3339.
 */
export function conditionsFrom(
  verdicts: Verdicts,
  previous: readonly TimedCondition[],
  { now, generation }: { readonly now: string; readonly generation: number },
): readonly TimedCondition[] {
  return Object.entries(verdicts).map(([type, { status, reason, message }]) => {
    const before = previous.find((each) => each.type === type);
    return {
      type,
      status,
      reason,
      message: redact(message).slice(0, LONGEST_MESSAGE),
      observedGeneration: generation,
      lastTransitionTime:
        before !== undefined && before.status === status ? before.lastTransitionTime : now,
    };
  });
}

/** A condition that is not the case. */
export function no(reason: string, message = ''): Verdict {
  return { status: 'False', reason, message };
}

/** A condition that is the case. */
export function yes(reason: string, message = ''): Verdict {
  return { status: 'True', reason, message };
}
