import type { ObjectRef } from '#ports';
import { keyOf } from '../live/object-key.ts';
import { plainFailure, type StepFailure } from '../wait/failure.ts';
import type { ApplyContext } from './context.ts';

/** Milliseconds between looks at something that is being deleted, and how long is looked before it is told. */
const LOOK = 1000;
const GONE_PATIENCE = 600_000;

/** Waits until an object that was deleted is gone; resolves with why it is not. */
export async function untilGone(ref: ObjectRef, uid: string, { cluster, clock, signal }: ApplyContext): Promise<StepFailure | undefined> {
  const since = clock.now();
  while (!signal.aborted) {
    const live = await cluster.get(ref);
    if (live === undefined || live.metadata.uid !== uid) return undefined;
    if (clock.now() - since >= GONE_PATIENCE) {
      const holders = live.metadata.finalizers?.join(', ') ?? 'none';
      return plainFailure(keyOf(ref), `is still being deleted after ${GONE_PATIENCE / 60_000} minutes; finalizers that hold it: ${holders}`);
    }
    await clock.sleep(LOOK, signal);
  }
  return plainFailure(keyOf(ref), 'was still being deleted when the run was cancelled');
}
