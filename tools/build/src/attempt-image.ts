import { join } from 'node:path';
import { CcpError } from '#core';
import { buildImage } from './build-image.ts';
import { openImageLog, type ImageLog } from './image-log.ts';
import { imageReporter } from './image-reporter.ts';
import type { ImageTask } from './image-task.ts';
import { faultOf, outcomeOf } from './outcome.ts';
import { withRetries, withRunRetries, type EngineRetryPolicy } from './retry.ts';
import { testStored } from './test-stored.ts';
import type { BuildOptions, BuildPorts, EmitBuildEvent, Outcome } from './types.ts';

/** Milliseconds that a cancelled image has to stop by itself; the whole run has 2 s. */
const GRACE_MS = 1500;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const ATTEMPTS = 4;
/** Attempts within 30 to 60 seconds, in which an engine that was restarted responds again. */
const ATTEMPTS_OF_ONLY_ENGINE = 8;

/**
 * Builds an image, or tests a stored one, with a log, retries and time measurement. The outcome is
 * built (reused or aliased if only tested), failed, or cancelled within the grace period. Calls
 * `onStep` for each step that starts. Never rejects.
 */
export async function attemptImage(
  task: ImageTask,
  ports: BuildPorts,
  options: BuildOptions,
  emit: EmitBuildEvent,
  onStep: (step: string) => void,
  signal: AbortSignal,
): Promise<Outcome> {
  const { planned } = task;
  const { image, version } = planned;
  const { clock } = ports;
  const path = join(options.logs, `${image}.log`);
  const start = clock.now();
  const attempted = () => ({
    seconds: (clock.now() - start) / 1000,
    log: path,
    engine: task.engine.name,
  });
  let log: ImageLog | undefined;
  try {
    log = openImageLog(path, clock, (message) =>
      emit({ type: 'log-lost', at: clock.now(), image, message }),
    );
    emit({ type: 'image-started', at: start, image, version, engine: task.engine.name, log: path });
    const reporter = imageReporter(image, log, clock, emit, onStep);
    const policy: EngineRetryPolicy = {
      attempts: options.attempts ?? ATTEMPTS,
      // Another engine, if there is one, takes the image after a few attempts.
      ...(ports.engines.length === 1 && options.attempts === undefined
        ? { unreachableAttempts: ATTEMPTS_OF_ONLY_ENGINE }
        : {}),
      firstMs: FIRST_WAIT_MS,
      limitMs: LONGEST_WAIT_MS,
      clock,
      random: Math.random,
      onRetry: (fault, attempt, waitMs) => {
        log?.note('retry', `${fault.message}; retrying in ${(waitMs / 1000).toFixed(1)} s`);
        emit({ type: 'retry', at: clock.now(), image, fault: faultOf(fault), attempt, waitMs });
      },
    };
    const retrying: ImageTask = {
      ...task,
      engine: withRetries(task.engine, policy),
      runner: withRunRetries(task.runner, policy),
    };
    if (task.known !== undefined) {
      await withGracePeriod(
        testStored(retrying, task.known.stored, ports, reporter, signal),
        signal,
        ports,
      );
      return task.known;
    }
    const before = ports.store.byContentKey(task.contentKey)?.digest;
    const stored = await withGracePeriod(
      buildImage(retrying, ports, options, reporter, signal),
      signal,
      ports,
    );
    const differs = before !== undefined && before !== stored.digest;
    return {
      ...outcomeOf(planned),
      ...attempted(),
      type: 'built',
      stored,
      unlocked: planned.record.unlocked,
      ...(differs ? { before } : {}),
    };
  } catch (thrown) {
    if (signal.aborted) return { ...outcomeOf(planned), ...attempted(), type: 'cancelled' };
    return {
      ...outcomeOf(planned),
      ...attempted(),
      type: 'failed',
      fault: faultOf(thrown),
      lastLines: log?.tail() ?? [],
    };
  } finally {
    log?.close();
  }
}

/**
 * The work's result; throws `cancelled` if it has not finished in the grace period after an abort.
 */
async function withGracePeriod<T>(
  work: Promise<T>,
  signal: AbortSignal,
  { clock }: BuildPorts,
): Promise<T> {
  const late = Promise.withResolvers<never>();
  const finished = new AbortController();
  const wait = async (): Promise<void> => {
    await clock.sleep(GRACE_MS, finished.signal);
    late.reject(new CcpError({ code: 'cancelled', message: 'the build was cancelled' }));
  };
  const onAbort = (): void => void wait();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    finished.abort();
    signal.removeEventListener('abort', onAbort);
  }
}
