import { codeOf, type CcpError } from '#core';
import type { ContainerRunner, ImageEngine } from '#ports';
import type { Clock } from './types.ts';

/** Faults that may pass when the same call is made again. A failing step of a build is none of them. */
const TRANSIENT: ReadonlySet<string> = new Set(['engine-unreachable', 'engine-failed', 'push-failed', 'pull-failed']);

export interface RetryPolicy {
  /** How often a call is tried in all. */
  readonly attempts: number;
  /** Milliseconds before the second try; doubled for each further one, up to `limitMs`. */
  readonly firstMs: number;
  readonly limitMs: number;
  readonly clock: Clock;
  /** Evenly from 0 to 1; spreads the tries of many images. */
  readonly random: () => number;
  /** Told before each wait. */
  readonly onRetry: (fault: CcpError, attempt: number, waitMs: number) => void;
}

/** True where the call that raised it may be made again. */
export function isTransient(thrown: unknown): thrown is CcpError {
  return TRANSIENT.has(codeOf(thrown) ?? '');
}

/**
 * An engine whose builds, pushes and pulls are made again after transient faults, with exponential back-off and full jitter
 * above half of it. The last fault is raised as it is; nothing is tried again once the signal is aborted.
 */
export function withRetries(engine: ImageEngine, policy: RetryPolicy): ImageEngine {
  return {
    name: engine.name,
    info: (signal) => engine.info(signal),
    build: (request, events, signal) => attempt(policy, () => engine.build(request, events, signal), signal),
    push: (reference, signal) => attempt(policy, () => engine.push(reference, signal), signal),
    pull: (reference, signal) => attempt(policy, () => engine.pull(reference, signal), signal),
    untag: (reference) => engine.untag(reference),
    untagAll: (prefixes) => engine.untagAll(prefixes),
    prune: () => engine.prune(),
  };
}

/** A runner whose runs to the end are made again as `withRetries` does it. */
export function withRunRetries(runner: ContainerRunner, policy: RetryPolicy): ContainerRunner {
  return {
    run: (spec, options) => attempt(policy, () => runner.run(spec, options), options?.signal),
    start: (spec) => runner.start(spec),
    attach: (spec, options) => runner.attach(spec, options),
  };
}

async function attempt<T>(policy: RetryPolicy, call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call();
    } catch (thrown) {
      if (!isTransient(thrown) || tries >= policy.attempts || signal?.aborted === true) throw thrown;
      const full = Math.min(policy.firstMs * 2 ** (tries - 1), policy.limitMs);
      const wait = Math.round(full * (0.5 + policy.random() / 2));
      policy.onRetry(thrown, tries, wait);
      await policy.clock.sleep(wait, signal);
      if (signal?.aborted ?? false) throw thrown;
    }
  }
}
