import { join } from 'node:path';
import { CcpError } from '#core';
import { buildImage, type ImageTask } from './build-image.ts';
import { openImageLog, type ImageLog } from './image-log.ts';
import { tellImage } from './image-told.ts';
import { faultOf, outcomeOf } from './outcome.ts';
import { withRetries, withRunRetries, type RetryPolicy } from './retry.ts';
import { testStored } from './test-stored.ts';
import type { BuildOptions, BuildPorts, EmitBuildEvent, Outcome } from './types.ts';

/** What a cancelled image may still take to end by itself, milliseconds; the run has 2 s in all. */
const GRACE_MS = 1500;
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 15_000;
const ATTEMPTS = 4;

/**
 * Builds an image, or tests a stored one, with its log, retries and time, and gives the outcome: built (or what is known),
 * failed, or cancelled within the grace.
 * `onStep` hears of every step that starts. Raises nothing.
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
  const attempted = () => ({ seconds: (clock.now() - start) / 1000, log: path, engine: task.engine.name });
  let log: ImageLog | undefined;
  try {
    log = openImageLog(path, clock, (message) => emit({ type: 'log-lost', at: clock.now(), image, message }));
    emit({ type: 'image-started', at: start, image, version, engine: task.engine.name, log: path });
    const told = tellImage(image, log, clock, emit, onStep);
    const policy: RetryPolicy = {
      attempts: options.attempts ?? ATTEMPTS,
      firstMs: FIRST_WAIT_MS,
      limitMs: LONGEST_WAIT_MS,
      clock,
      random: Math.random,
      onRetry: (fault, attempt, waitMs) => {
        log?.note('retry', `${fault.message}; trying again in ${(waitMs / 1000).toFixed(1)} s`);
        emit({ type: 'retry', at: clock.now(), image, fault: faultOf(fault), attempt, waitMs });
      },
    };
    const retrying: ImageTask = { ...task, engine: withRetries(task.engine, policy), runner: withRunRetries(task.runner, policy) };
    if (task.known !== undefined) {
      await endedInTime(testStored(retrying, task.known.stored, ports, told, signal), signal, ports);
      return task.known;
    }
    const before = ports.store.byContentKey(task.contentKey)?.digest;
    const stored = await endedInTime(buildImage(retrying, ports, options, told, signal), signal, ports);
    const differs = before !== undefined && before !== stored.digest;
    return { ...outcomeOf(planned), ...attempted(), type: 'built', stored, unlocked: planned.record.unlocked, ...(differs ? { before } : {}) };
  } catch (thrown) {
    if (signal.aborted) return { ...outcomeOf(planned), ...attempted(), type: 'cancelled' };
    return { ...outcomeOf(planned), ...attempted(), type: 'failed', fault: faultOf(thrown), lastLines: log?.tail() ?? [] };
  } finally {
    log?.close();
  }
}

/** The work's result; `cancelled` where it has not ended when the grace after the signal is over. */
async function endedInTime<T>(work: Promise<T>, signal: AbortSignal, { clock }: BuildPorts): Promise<T> {
  const late = Promise.withResolvers<never>();
  const ended = new AbortController();
  const wait = async (): Promise<void> => {
    await clock.sleep(GRACE_MS, ended.signal);
    late.reject(new CcpError({ code: 'cancelled', message: 'the build was cancelled' }));
  };
  const onAbort = (): void => void wait();
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    ended.abort();
    signal.removeEventListener('abort', onAbort);
  }
}
