import type { RenderedSite, Step } from '#site';
import { hasJobs } from '../record/done-in.ts';
import type { RevisionRecord } from '../record/record.ts';

/** How long the workloads of an instance are expected to be away. */
export interface TimeAway {
  readonly seconds: number;
  /** Steps in that time whose duration no recorded run has, so that it is estimated. */
  readonly estimated: readonly string[];
}

/** Seconds of a step that no recorded run has. */
const ESTIMATE = { job: 20, workload: 40 };

/** The facts that a time is computed from. */
export interface AwayFacts {
  readonly steps: RenderedSite['steps'];
  /** Oldest first. */
  readonly records: readonly Pick<RevisionRecord, 'seconds'>[];
  /** Whether the apply has work to do in a step. */
  readonly isOpen: (step: Step) => boolean;
}

/**
 * The time from the first start of the steps `from`, which stop workloads, to the end of the steps
 * `until`, in which they run again; each step starts as soon as the steps it waits for have ended.
 */
export function timeAway(
  from: readonly string[],
  until: readonly string[],
  { steps, records, isOpen }: AwayFacts,
): TimeAway {
  const known = new Map(records.flatMap(({ seconds = {} }) => Object.entries(seconds)));
  const durationOf = (step: Step): number =>
    isOpen(step) ? (known.get(step.id) ?? ESTIMATE[hasJobs(step) ? 'job' : 'workload']) : 0;
  const times = new Map<string, { readonly start: number; readonly end: number }>();
  for (const step of steps) {
    const start = Math.max(0, ...step.waitsFor.map((id) => times.get(id)?.end ?? 0));
    times.set(step.id, { start, end: start + durationOf(step) });
  }
  const start = Math.min(...from.map((id) => times.get(id)!.start));
  const end = Math.max(...until.map((id) => times.get(id)!.end));
  const needed = before(steps, until);
  return {
    seconds: Math.max(0, Math.round(end - start)),
    estimated: steps
      .filter(
        (step) =>
          needed.has(step.id) &&
          isOpen(step) &&
          !known.has(step.id) &&
          times.get(step.id)!.end > start,
      )
      .map(({ id }) => id),
  };
}

/** These steps and all steps that they wait for, directly or not. */
function before(steps: readonly Step[], ids: readonly string[]): ReadonlySet<string> {
  const waitsFor = new Map(steps.map((step) => [step.id, step.waitsFor]));
  const found = new Set<string>();
  const open = [...ids];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...(waitsFor.get(id) ?? []));
  }
  return found;
}
