import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { CcpError, omitUndefined } from '#core';
import { storeFault } from '../store-fault.ts';
import { listingFile, type LayerJob, type NormalisedLayer } from './normalise-layer.ts';
import { normaliseSmallLayer } from './normalise-small-layer.ts';

/** The result of a job in a worker thread. */
export type LayerAnswer =
  | { readonly layer: NormalisedLayer }
  | {
      readonly error: {
        readonly ours: boolean;
        readonly code: string;
        readonly message: string;
        readonly hint?: string;
      };
    };

/** Normalises layers in worker threads, small layers synchronously in this thread. */
export interface LayerWorkers {
  /**
   * An abort stops the job's thread and throws `cancelled`. Throws `layer-invalid` and
   * `store-full`. Output files of failed jobs are removed.
   */
  normalise(job: LayerJob, signal?: AbortSignal): Promise<NormalisedLayer>;
  /** Stops the idle threads. */
  close(): Promise<void>;
}

/**
 * Runs at most `count` threads, by default one per core. Threads are reused, since starting one
 * takes longer than normalising a small layer.
 */
export function layerWorkers(count: number = availableParallelism()): LayerWorkers {
  const limit = pLimit(Math.max(count, 1));
  const idle: Worker[] = [];
  return {
    normalise: async (job, signal) => {
      if (signal?.aborted) throw cancelled();
      const small = tryNormaliseSmall(job);
      if (small !== undefined) return small;
      return limit(async () => {
        if (signal?.aborted) throw cancelled();
        const worker = idle.pop() ?? startWorker();
        try {
          const layer = await runJob(worker, job, signal);
          idle.push(worker);
          return layer;
        } catch (thrown) {
          await worker.terminate();
          await Promise.all([
            rm(job.output, { force: true }),
            rm(`${job.output}.tar`, { force: true }),
            rm(listingFile(job), { force: true }),
          ]);
          throw thrown;
        }
      });
    },
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}

function tryNormaliseSmall(job: LayerJob): NormalisedLayer | undefined {
  try {
    return normaliseSmallLayer(job);
  } catch (thrown) {
    rmSync(job.output, { force: true });
    rmSync(listingFile(job), { force: true });
    throw storeFault(thrown, job.output);
  }
}

/** A thread that does not keep the process alive while idle. */
function startWorker(): Worker {
  const worker = new Worker(new URL('./layer-worker.ts', import.meta.url));
  worker.unref();
  return worker;
}

function runJob(
  worker: Worker,
  job: LayerJob,
  signal: AbortSignal | undefined,
): Promise<NormalisedLayer> {
  const { promise, resolve, reject } = Promise.withResolvers<NormalisedLayer>();
  const onAbort = (): void => reject(cancelled());
  const onExit = (code: number): void =>
    reject(new Error(`the layer worker exited with code ${code}`));
  const onAnswer = (answer: LayerAnswer): void => {
    if ('layer' in answer) return resolve(answer.layer);
    const { ours, code, message, hint } = answer.error;
    reject(
      ours
        ? new CcpError({ code, message, ...omitUndefined({ hint }) })
        : storeFault(Object.assign(new Error(message), { code }), job.output),
    );
  };
  worker.ref();
  worker.once('message', onAnswer).once('error', reject).once('exit', onExit);
  signal?.addEventListener('abort', onAbort, { once: true });
  worker.postMessage(job);
  return promise.finally(() => {
    signal?.removeEventListener('abort', onAbort);
    worker.off('message', onAnswer).off('error', reject).off('exit', onExit);
    worker.unref();
  });
}

function cancelled(): CcpError {
  return new CcpError({ code: 'cancelled', message: 'normalising a layer was cancelled' });
}
