import type { ObjectRef } from '#ports';
import { keyOf } from '#site';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';

/** Milliseconds between checks of an object that is being deleted, and until it is reported. */
const LOOK = 1000;
const DELETION_MS = 600_000;

/** Waits until a deleted object no longer exists; resolves with a failure if it still does. */
export async function waitUntilDeleted(
  ref: ObjectRef,
  uid: string,
  { cluster, site, clock, signal }: Pick<ApplyContext, 'cluster' | 'site' | 'clock' | 'signal'>,
): Promise<StepFailure | undefined> {
  const since = clock.now();
  while (!signal.aborted) {
    const live = await cluster.get(ref);
    if (live === undefined || live.metadata.uid !== uid) return undefined;
    if (clock.now() - since >= DELETION_MS) {
      const holders = live.metadata.finalizers?.join(', ') ?? 'none';
      return plainFailure(
        keyOf(ref, site),
        `is still being deleted after ${DELETION_MS / 60_000} minutes; its finalizers: ${holders}`,
      );
    }
    await clock.sleep(LOOK, signal);
  }
  return plainFailure(keyOf(ref, site), 'was still being deleted when the run was cancelled');
}
