import type { StepFailure } from '../wait/failure.ts';
import type { StepOutcome } from './events.ts';

/** What failed in steps, in their order. */
export function stepFailures(outcomes: ReadonlyMap<string, StepOutcome>): StepFailure[] {
  return [...outcomes.values()].flatMap((outcome) => (outcome.state === 'failed' ? outcome.failures : []));
}
