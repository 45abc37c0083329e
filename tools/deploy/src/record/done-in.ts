import { imageOf } from '../plan/image-of.ts';
import type { Step } from '../types.ts';
import { isOvertaken, type Ledger } from './ledger.ts';

/** Whether a step is Jobs that end, and not what stays: workloads, and the ways to them. */
export function hasJobs({ phase }: Pick<Step, 'phase'>): boolean {
  return phase !== 'roll' && phase !== 'expose';
}

/**
 * The revision in which a step's Jobs have all run; `undefined` where one has not, and for what has none. A contract also counts as run
 * where that of the same image has: it depends on the schema, not on settings.
 */
export function doneIn(step: Pick<Step, 'id' | 'phase' | 'objects'>, ledger: Ledger): number | undefined {
  const revisions = step.objects.map((job) => {
    const entry = isOvertaken(ledger, job.metadata.name) ? undefined : ledger[job.metadata.name];
    if (entry !== undefined || step.phase !== 'contract') return entry?.revision;
    return Object.values(ledger).find((other) => other.step === step.id && other.image === imageOf(job))?.revision;
  });
  return !hasJobs(step) || revisions.length === 0 || revisions.includes(undefined) ? undefined : Math.max(...(revisions as number[]));
}
