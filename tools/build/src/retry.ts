import { backOffMs, codeOf, retry, type CcpError, type RetryPolicy } from '#core';
import type { Clock, ContainerRunner, ImageEngine } from '#ports';

/** Code of a build whose cache names a layer that is gone; the next attempt uses no cache. */
const LAYER_LOST = 'engine-layer-lost';
/** Codes of faults after which a retry can succeed. A failing build step is not among them. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'engine-unreachable',
  'engine-failed',
  LAYER_LOST,
  'push-failed',
  'pull-failed',
]);

export interface EngineRetryPolicy extends RetryPolicy {
  /** Total number of attempts while the engine does not respond; `attempts` if absent. */
  readonly unreachableAttempts?: number;
  readonly clock: Clock;
  /** Uniform random numbers from 0 to 1, for jitter. */
  readonly random: () => number;
  /** Called before each wait. */
  readonly onRetry: (fault: CcpError, attempt: number, waitMs: number) => void;
}

/** True if the failed call can be retried. */
function isTransient(thrown: unknown): thrown is CcpError {
  return TRANSIENT.has(codeOf(thrown) ?? '');
}

/**
 * Wraps an engine: builds, pushes and pulls are retried after transient faults, with exponential
 * back-off; jitter shortens each wait by up to half. The last fault is thrown unchanged. There is
 * no retry after an abort.
 */
export function withRetries(engine: ImageEngine, policy: EngineRetryPolicy): ImageEngine {
  return {
    name: engine.name,
    info: (signal) => engine.info(signal),
    build: async (request, events, signal) => {
      let noCache = request.noCache;
      return await attempt(
        policy,
        async () => {
          try {
            return await engine.build({ ...request, noCache }, events, signal);
          } catch (thrown) {
            noCache ||= codeOf(thrown) === LAYER_LOST;
            throw thrown;
          }
        },
        signal,
      );
    },
    push: (reference, signal, login) =>
      attempt(policy, () => engine.push(reference, signal, login), signal),
    pull: (reference, signal, login) =>
      attempt(policy, () => engine.pull(reference, signal, login), signal),
    untag: (reference) => engine.untag(reference),
    untagAll: (prefixes) => engine.untagAll(prefixes),
    prune: () => engine.prune(),
  };
}

/** Wraps a runner: `run` is retried like the calls in `withRetries`. */
export function withRunRetries(
  runner: ContainerRunner,
  policy: EngineRetryPolicy,
): ContainerRunner {
  return {
    run: (spec, options) => attempt(policy, () => runner.run(spec, options), options?.signal),
    start: (spec) => runner.start(spec),
    attach: (spec, options) => runner.attach(spec, options),
  };
}

async function attempt<T>(
  policy: EngineRetryPolicy,
  call: () => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { attempts, unreachableAttempts = attempts } = policy;
  return await retry(call, Infinity, async (thrown, tries) => {
    if (!isTransient(thrown) || signal?.aborted === true) return false;
    if (tries >= (thrown.code === 'engine-unreachable' ? unreachableAttempts : attempts))
      return false;
    const waitMs = Math.round(backOffMs(policy, tries, policy.random));
    policy.onRetry(thrown, tries, waitMs);
    await policy.clock.sleep(waitMs, signal);
    return !(signal?.aborted ?? false);
  });
}
