import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, codeOf } from '#core';
import type { Cluster } from '#ports';
import { checkGateCondition } from './check-condition.ts';
import { conditionName, type GateCondition } from './types.ts';

export interface GateOptions {
  readonly timeoutMs: number;
  /** Time between two checks of unmet conditions. */
  readonly intervalMs: number;
  /** Connects to the cluster; called when a condition first needs it. */
  readonly cluster: (signal: AbortSignal) => Promise<Cluster>;
  /** Cancels waiting with the error `cancelled`. */
  readonly signal: AbortSignal;
  /** Called whenever the reason of an unmet condition changes. */
  readonly report: (message: string) => void;
}

/**
 * Resolves when each condition has been met once. Throws `gate-timeout`, which lists all unmet
 * conditions with reasons, `cancelled`, and errors of a check that waiting cannot fix.
 */
export async function waitForAll(
  conditions: readonly GateCondition[],
  { timeoutMs, intervalMs, cluster, signal, report }: GateOptions,
): Promise<void> {
  const limit = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([limit, signal]);
  const pending = new Map<GateCondition, string>(conditions.map((condition) => [condition, '']));
  let connected: Promise<Cluster> | undefined;
  const connect = (): Promise<Cluster> => (connected ??= cluster(stop));
  for (;;) {
    await Promise.all([...pending.keys()].map((condition) => check(condition)));
    if (pending.size === 0) return;
    await delay(intervalMs, undefined, { signal: stop }).catch(() => undefined);
    if (signal.aborted) throw new CcpError({ code: 'cancelled', message: 'waiting was cancelled' });
    if (limit.aborted) throw timedOut(pending, timeoutMs);
  }

  async function check(condition: GateCondition): Promise<void> {
    let reason: string | undefined;
    try {
      reason = await checkGateCondition(condition, connect);
    } catch (thrown) {
      if (codeOf(thrown) !== 'cancelled') throw thrown;
      reason = pending.get(condition) || 'no answer from the cluster';
    }
    if (reason === undefined) {
      pending.delete(condition);
      report(`${conditionName(condition)}: met`);
    } else if (pending.get(condition) !== reason) {
      pending.set(condition, reason);
      if (!stop.aborted) report(`waiting for ${conditionName(condition)}: ${reason}`);
    }
  }
}

function timedOut(pending: ReadonlyMap<GateCondition, string>, timeoutMs: number): CcpError {
  const lines = [...pending].map(([condition, reason]) => `${conditionName(condition)}: ${reason}`);
  return new CcpError({
    code: 'gate-timeout',
    message: `conditions not met after ${timeoutMs / 1000} s:\n${lines.map((line) => `  ${line}`).join('\n')}`,
    hint: 'check the listed objects, or raise --timeout',
  });
}
