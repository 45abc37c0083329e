import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { CcpError } from '#core';
import { storeFault } from '../layout/store-fault.ts';
import type { LayerJob, NormalisedLayer } from './normalise-layer.ts';
import { normaliseSmallLayer } from './normalise-small-layer.ts';

/** What a thread says of a job. */
export type LayerAnswer =
  { readonly layer: NormalisedLayer } | { readonly error: { readonly ours: boolean; readonly code: string; readonly message: string; readonly hint?: string } };

/** Normalises layers in threads, small ones at once. */
export interface LayerWorkers {
  /**
   * An abort ends the job's thread and raises `cancelled`. Raises `layer-invalid` and `store-full`; what was written of a
   * failed job is removed.
   */
  normalise(job: LayerJob, signal?: AbortSignal): Promise<NormalisedLayer>;
  /** Ends the threads that wait for work. */
  close(): Promise<void>;
}

/**
 * At most `count` threads at once, by default one per core. A thread takes the next job when one is done, since starting one
 * costs more than a small layer does.
 */
export function layerWorkers(count: number = availableParallelism()): LayerWorkers {
  const limit = pLimit(Math.max(count, 1));
  const idle: Worker[] = [];
  return {
    normalise: async (job, signal) => {
      if (signal?.aborted) throw cancelled();
      const small = atOnce(job);
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
          await Promise.all([rm(job.output, { force: true }), rm(`${job.output}.tar`, { force: true })]);
          throw thrown;
        }
      });
    },
    async close() {
      await Promise.all(idle.splice(0).map((worker) => worker.terminate()));
    },
  };
}

function atOnce(job: LayerJob): NormalisedLayer | undefined {
  try {
    return normaliseSmallLayer(job);
  } catch (thrown) {
    rmSync(job.output, { force: true });
    throw storeFault(thrown, job.output);
  }
}

/** A thread that keeps no process alive while it waits. */
function startWorker(): Worker {
  const worker = new Worker(new URL('./layer-worker.ts', import.meta.url));
  worker.unref();
  return worker;
}

function runJob(worker: Worker, job: LayerJob, signal: AbortSignal | undefined): Promise<NormalisedLayer> {
  const { promise, resolve, reject } = Promise.withResolvers<NormalisedLayer>();
  const onAbort = (): void => reject(cancelled());
  const onExit = (code: number): void => reject(new Error(`the layer thread ended with ${code}`));
  const onAnswer = (answer: LayerAnswer): void => {
    if ('layer' in answer) return resolve(answer.layer);
    const { ours, code, message, hint } = answer.error;
    reject(
      ours ? new CcpError({ code, message, ...(hint === undefined ? {} : { hint }) }) : storeFault(Object.assign(new Error(message), { code }), job.output),
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
