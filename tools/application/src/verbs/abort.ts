import { CcpError, codeOf } from '#core';
import type { ApplicationRecord } from '../record/record.ts';
import { clearAbort, requestAbort } from '../record/store.ts';
import { findRecord, underLock } from '../session/change.ts';
import type { ApplicationEngine } from '../session/engine.ts';
import { change } from '../session/run-busy.ts';
import { checkVerb, failedState, isBusy } from '../states.ts';

const LOOK_MS = 1000;

/**
 * Stops the run that changes an application: it ends at a safe point. A run that was killed is
 * recorded as failed. Resolves with the record after the run. Throws `application-missing`,
 * `application-state` if no run is under way, and `cancelled`.
 */
export async function abortApplication(
  engine: ApplicationEngine,
  name: string,
): Promise<ApplicationRecord> {
  const { cluster, clock, by, signal } = engine;
  const { state } = await findRecord(cluster, name);
  checkVerb(name, 'abort', state);
  await requestAbort(cluster, name, by);
  for (;;) {
    if (signal?.aborted === true)
      throw new CcpError({
        code: 'cancelled',
        message: `cancelled while waiting for the end of the run that changes ${name}`,
      });
    const record = await findRecord(cluster, name);
    if (!isBusy(record.state)) return record;
    const ended = await endKilled(engine, name);
    if (ended !== undefined) return ended;
    await clock.sleep(LOOK_MS, signal);
  }
}

/** Records the failure of a run that was killed; undefined while a run has the lock. */
async function endKilled(
  engine: ApplicationEngine,
  name: string,
): Promise<ApplicationRecord | undefined> {
  try {
    return await underLock(engine, name, async (cluster, signal) => {
      const record = await findRecord(cluster, name);
      await clearAbort(cluster, name);
      if (!isBusy(record.state)) return record;
      const reason = `aborted by ${engine.by}; the run of ${record.by} had been killed`;
      const failed = { state: failedState(record.state), reason };
      return await change(engine, { cluster, record, signal }, record, failed);
    });
  } catch (thrown) {
    if (codeOf(thrown) === 'deploy-locked') return undefined;
    throw thrown;
  }
}
