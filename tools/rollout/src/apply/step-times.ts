import type { Clock } from '#ports';
import type { DeployPlan, PlannedStep } from '../plan/types.ts';
import { hasJobs } from '../record/done-in.ts';

/** When the steps of a run started and succeeded, in milliseconds since 1970. */
export interface StepTimes {
  start(step: string): void;
  end(step: string): void;
  startOf(step: string): number | undefined;
  endOf(step: string): number | undefined;
}

/** How long the workloads of an instance were away. */
export interface MeasuredTime {
  readonly instance: string;
  readonly seconds: number;
  /** The time that the plan expected. */
  readonly expected: number;
}

export function stepTimes(clock: Pick<Clock, 'now'>): StepTimes {
  const [starts, ends] = [new Map<string, number>(), new Map<string, number>()];
  return {
    start: (step) => void starts.set(step, clock.now()),
    end: (step) => void ends.set(step, clock.now()),
    startOf: (step) => starts.get(step),
    endOf: (step) => ends.get(step),
  };
}

/** Seconds of the steps that succeeded and had work to do. */
export function secondsOf(plan: DeployPlan, times: StepTimes): Readonly<Record<string, number>> {
  const changed = new Set(
    plan.objects.filter(({ action }) => action !== 'unchanged').map(({ step }) => step),
  );
  const hadWork = (step: PlannedStep): boolean =>
    changed.has(step.id) && (!hasJobs(step) || step.doneIn === undefined);
  return Object.fromEntries(
    plan.steps.filter(hadWork).flatMap(({ id }) => {
      const [start, end] = [times.startOf(id), times.endOf(id)];
      return start === undefined || end === undefined ? [] : [[id, secondsIn(end - start)]];
    }),
  );
}

/** The times away of instances whose workloads all run again. */
export function measuredAway(
  { schemaHops = [], objects }: DeployPlan,
  times: StepTimes,
): readonly MeasuredTime[] {
  return schemaHops.flatMap(({ instance, before, stops, away }): MeasuredTime[] => {
    if (away === undefined) return [];
    const starts = before.flatMap((step) => times.startOf(step) ?? []);
    const ends = objects
      .filter(({ key }) => stops.includes(key))
      .map(({ step }) => (step === undefined ? undefined : times.endOf(step)));
    if (starts.length === 0 || ends.includes(undefined)) return [];
    const seconds = secondsIn(Math.max(...(ends as number[])) - Math.min(...starts));
    return [{ instance, seconds, expected: away.seconds }];
  });
}

function secondsIn(milliseconds: number): number {
  return Math.round(milliseconds / 100) / 10;
}
