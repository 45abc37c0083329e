import { codeOf, messageOf, redact } from '#core';
import { clearAbort, abortRequest, writeRecord } from '../record/store.ts';
import type { ApplicationRecord } from '../record/record.ts';
import { failedState, type BusyState } from '../states.ts';
import type { Held } from './change.ts';
import type { ApplicationEngine } from './engine.ts';

/** Milliseconds between two looks for a request to abort. */
const LOOK_MS = 2000;
const LONGEST_REASON = 1024;

/** A change of an application's record; members that are undefined are removed. */
export type Change = {
  readonly [K in keyof Omit<ApplicationRecord, 'format' | 'name'>]?:
    ApplicationRecord[K] | undefined;
};

/** How the work of a busy state ended: a new state, or why it failed. */
export type Ended = { readonly change: Change } | { readonly failed: string };

/**
 * Runs `work` while the record is in a busy state, which `ccp application abort` interrupts. The
 * record then gets the state of the result, or the failed state with its reason. Errors of `work`
 * are recorded and thrown.
 */
export async function runBusy(
  engine: ApplicationEngine,
  held: Held,
  busy: Change & { readonly state: BusyState },
  work: (signal: AbortSignal, record: ApplicationRecord) => Promise<Ended>,
): Promise<ApplicationRecord> {
  const { cluster } = held;
  const { name } = held.record;
  let record = await change(engine, held, held.record, { reason: undefined, ...busy });
  await clearAbort(cluster, name);
  const ended = new AbortController();
  const aborted = new AbortController();
  const watching = (async () => {
    while (!ended.signal.aborted) {
      await engine.clock.sleep(LOOK_MS, ended.signal);
      const by = await abortRequest(engine.cluster, name).catch(() => undefined);
      if (by !== undefined) return aborted.abort(by);
    }
  })();
  const fail = async (reason: string): Promise<ApplicationRecord> =>
    await change(engine, held, record, {
      state: failedState(busy.state),
      reason: redact(aborted.signal.aborted ? `aborted by ${aborted.signal.reason}` : reason).slice(
        0,
        LONGEST_REASON,
      ),
    });
  try {
    const result = await work(AbortSignal.any([held.signal, aborted.signal]), record);
    record =
      'failed' in result
        ? await fail(result.failed)
        : await change(engine, held, record, result.change);
    return record;
  } catch (thrown) {
    // A run that has lost its lock must not write: its successor owns the record.
    if (!LOST.has(codeOf(thrown) ?? '')) await fail(messageOf(thrown)).catch(() => undefined);
    if (!aborted.signal.aborted) throw thrown;
    return await change(engine, held, record, {
      state: failedState(busy.state),
      reason: `aborted by ${aborted.signal.reason}`,
    });
  } finally {
    ended.abort();
    await watching;
    await clearAbort(cluster, name).catch(() => undefined);
  }
}

const LOST = new Set(['deploy-lock-lost', 'deploy-lock-silent']);

/** Writes a changed record. */
export async function change(
  { by, clock }: ApplicationEngine,
  { cluster }: Held,
  record: ApplicationRecord,
  changes: Change,
): Promise<ApplicationRecord> {
  const at = new Date(clock.now()).toISOString();
  const { format, name, ...rest } = record;
  const merged = { ...rest, ...changes, by, at };
  const kept = Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined),
  ) as Omit<ApplicationRecord, 'format' | 'name'>;
  const changed = { format, name, ...kept };
  await writeRecord(cluster, changed);
  return changed;
}
