import type { Step } from '#site';
import { imageOf } from './image-of.ts';
import { isOvertaken, type Ledger } from './ledger.ts';

/** Phases of steps without Jobs. */
const WITHOUT_JOBS: ReadonlySet<Step['phase']> = new Set<Step['phase']>([
  'roll',
  'schedule',
  'expose',
]);

/** Whether a step consists of Jobs, not of workloads, schedules or routes. */
export function hasJobs({ phase }: Pick<Step, 'phase'>): boolean {
  return !WITHOUT_JOBS.has(phase);
}

/**
 * The revision in which all Jobs of a step have run; `undefined` if one has not, or the step has
 * none. A contract is also done if one of the same image has run: it depends on the schema, not on
 * settings.
 */
export function doneIn(
  step: Pick<Step, 'id' | 'phase' | 'objects'>,
  ledger: Ledger,
): number | undefined {
  const revisions = step.objects.map((job) => {
    const entry = isOvertaken(ledger, job.metadata.name) ? undefined : ledger[job.metadata.name];
    if (entry !== undefined || step.phase !== 'contract') return entry?.revision;
    return Object.values(ledger).find(
      (other) => other.step === step.id && other.image === imageOf(job),
    )?.revision;
  });
  return !hasJobs(step) || revisions.length === 0 || revisions.includes(undefined)
    ? undefined
    : Math.max(...(revisions as number[]));
}
