import type { PlannedStep } from '../plan/types.ts';
import type { StepOutcome } from '../session/events.ts';

/**
 * Runs each step as soon as the steps it waits for are done, at most `limit` at a time, lowest wave
 * first. Steps that wait for a failed step are blocked; all others continue. A postponed step
 * blocks nothing.
 */
export async function runSteps(
  steps: readonly PlannedStep[],
  run: (step: PlannedStep) => Promise<StepOutcome>,
  {
    limit,
    signal,
    ended,
  }: {
    readonly limit: number;
    readonly signal: AbortSignal;
    readonly ended: (step: PlannedStep, outcome: StepOutcome) => void;
  },
): Promise<ReadonlyMap<string, StepOutcome>> {
  const outcomes = new Map<string, StepOutcome>();
  const running = new Map<string, Promise<void>>();
  const settle = (step: PlannedStep, outcome: StepOutcome): void => {
    outcomes.set(step.id, outcome);
    ended(step, outcome);
  };
  const isOver = (id: string): boolean =>
    outcomes.get(id)?.state === 'done' || outcomes.get(id)?.state === 'deferred';
  for (;;) {
    for (const step of steps) {
      if (outcomes.has(step.id) || running.has(step.id)) continue;
      const bad = step.waitsFor.filter((id) => outcomes.has(id) && !isOver(id));
      if (step.deferred !== undefined) settle(step, { state: 'deferred', reason: step.deferred });
      else if (signal.aborted) settle(step, { state: 'cancelled' });
      else if (bad.length > 0) settle(step, { state: 'blocked', by: bad });
      else if (running.size < limit && step.waitsFor.every(isOver)) {
        running.set(
          step.id,
          run(step)
            .then((outcome) => settle(step, outcome))
            .finally(() => running.delete(step.id)),
        );
      }
    }
    if (running.size > 0) await Promise.race(running.values());
    else if (steps.every(({ id }) => outcomes.has(id))) return outcomes;
  }
}
