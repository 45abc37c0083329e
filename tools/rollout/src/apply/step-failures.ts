import type { StepOutcome } from '../session/events.ts';
import type { StepFailure } from '../session/step-failure.ts';

/** Failures of all steps, in step order. */
export function stepFailures(outcomes: ReadonlyMap<string, StepOutcome>): StepFailure[] {
  return [...outcomes.values()].flatMap((outcome) =>
    outcome.state === 'failed' ? outcome.failures : [],
  );
}
