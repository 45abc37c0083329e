import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, codeOf } from '#core';
import type { Cluster } from '#ports';
import { checkCondition } from './check-condition.ts';
import { conditionName, type Condition } from './types.ts';

export interface WaitOptions {
  readonly timeoutMs: number;
  /** Between two looks at what does not hold yet. */
  readonly intervalMs: number;
  /** The cluster, connected when it is first asked for. */
  readonly cluster: (signal: AbortSignal) => Promise<Cluster>;
  /** Ends waiting, with `cancelled`. */
  readonly signal: AbortSignal;
  /** Told what is waited for, whenever that changes. */
  readonly say: (sentence: string) => void;
}

/**
 * Resolves once each condition has held. Raises `gate-timeout`, which names all that did not come to hold and why, `cancelled`,
 * and what a look raises that waiting cannot mend.
 */
export async function waitForAll(conditions: readonly Condition[], { timeoutMs, intervalMs, cluster, signal, say }: WaitOptions): Promise<void> {
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([limit, signal]);
  const pending = new Map<Condition, string>(conditions.map((condition) => [condition, '']));
  let connected: Promise<Cluster> | undefined;
  const connect = (): Promise<Cluster> => (connected ??= cluster(stop));
  for (;;) {
    await Promise.all([...pending.keys()].map((condition) => look(condition)));
    if (pending.size === 0) return;
    await delay(intervalMs, undefined, { signal: stop }).catch(() => undefined);
    if (signal.aborted) throw new CcpError({ code: 'cancelled', message: 'waiting was ended' });
    if (limit.aborted) throw timedOut(pending, timeoutMs);
  }

  async function look(condition: Condition): Promise<void> {
    let reason: string | undefined;
    try {
      reason = await checkCondition(condition, connect);
    } catch (thrown) {
      if (codeOf(thrown) !== 'cancelled') throw thrown;
      reason = pending.get(condition) || 'the cluster has not answered';
    }
    if (reason === undefined) {
      pending.delete(condition);
      say(`${conditionName(condition)}: holds`);
    } else if (pending.get(condition) !== reason) {
      pending.set(condition, reason);
      if (!stop.aborted) say(`waiting for ${conditionName(condition)}: ${reason}`);
    }
  }
}

function timedOut(pending: ReadonlyMap<Condition, string>, timeoutMs: number): CcpError {
  const lines = [...pending].map(([condition, reason]) => `${conditionName(condition)}: ${reason}`);
  return new CcpError({
    code: 'gate-timeout',
    message: `after ${timeoutMs / 1000} s this does not hold:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    hint: 'look at what is named; --timeout sets another limit',
  });
}
