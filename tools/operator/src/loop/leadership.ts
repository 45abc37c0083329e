import { codeOf, omitUndefined } from '#core';
import type { Clock, Cluster } from '#ports';
import { guardedCluster, takeLock, type MarkedProcess } from '#rollout';
import type { OperatorEvent } from '../reconcile/events.ts';

const AGAIN_MS = 5000;
/** Name of the Lease without its prefix: `ccp-operator`. */
const LEADER = 'operator';

export interface LeaderOptions {
  readonly cluster: Cluster;
  /** Namespace of the Lease. */
  readonly namespace: string;
  readonly by: string;
  readonly run: string;
  readonly process?: MarkedProcess;
  readonly clock: Clock;
  readonly report: (event: OperatorEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Waits until no other operator is the leader, and runs `work` with a cluster that refuses writes
 * while another operator may lead. `work` gets a signal that aborts when the lead is lost.
 */
export async function asLeader(
  { cluster, namespace, by, run, process, clock, report, signal }: LeaderOptions,
  work: (cluster: Cluster, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lock = await firstLock();
  if (lock === undefined) return;
  report({ type: 'leader', state: 'taken' });
  try {
    await work(
      guardedCluster(cluster, () => lock.assertHeld()),
      AbortSignal.any([signal, lock.signal]),
    );
    if (lock.signal.aborted) {
      report({ type: 'leader', state: 'lost' });
      await lock.assertHeld();
    }
  } finally {
    await lock.release();
  }

  async function firstLock(): Promise<Awaited<ReturnType<typeof takeLock>> | undefined> {
    for (let waited = false; !signal.aborted; waited = true) {
      try {
        return await takeLock(
          cluster,
          { name: LEADER, namespace },
          {
            holder: `${by} (${run})`,
            ...omitUndefined({ process }),
            clock,
            emit: () => undefined,
            signal,
          },
        );
      } catch (thrown) {
        if (codeOf(thrown) === 'cancelled') return undefined;
        if (codeOf(thrown) !== 'deploy-locked') throw thrown;
        if (!waited) report({ type: 'leader', state: 'waiting' });
        await clock.sleep(AGAIN_MS, signal);
      }
    }
    return undefined;
  }
}
