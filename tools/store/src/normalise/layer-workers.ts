import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import pLimit from 'p-limit';
import { CcpError } from '#core';
import { storeFault } from '../layout/store-fault.ts';
import type { LayerJob, NormalisedLayer } from './normalise-layer.ts';

type Answer =
  | { readonly layer: NormalisedLayer }
  | { readonly error: { readonly ours: boolean; readonly code: string; readonly message: string; readonly hint?: string } };

/** Normalises layers, each in a thread of its own. */
export type LayerWorkers = (job: LayerJob, signal?: AbortSignal) => Promise<NormalisedLayer>;

/**
 * At most `count` threads at once; by default one per core. An abort ends the thread and raises `cancelled`. Raises
 * `layer-invalid` and `store-full`; what was written of a failed job is removed.
 */
export function layerWorkers(count: number = availableParallelism()): LayerWorkers {
  const limit = pLimit(Math.max(count, 1));
  return (job, signal) =>
    limit(async () => {
      try {
        return await runWorker(job, signal);
      } catch (thrown) {
        await Promise.all([rm(job.output, { force: true }), rm(`${job.output}.tar`, { force: true })]);
        throw thrown;
      }
    });
}

function runWorker(job: LayerJob, signal: AbortSignal | undefined): Promise<NormalisedLayer> {
  return new Promise((resolve, reject) => {
    const cancelled = (): CcpError => new CcpError({ code: 'cancelled', message: 'normalising a layer was cancelled' });
    if (signal?.aborted) return reject(cancelled());
    const worker = new Worker(new URL('./layer-worker.ts', import.meta.url), { workerData: job });
    const abort = (): void => void worker.terminate().then(() => reject(cancelled()));
    signal?.addEventListener('abort', abort, { once: true });
    worker.once('message', (answer: Answer) => {
      if ('layer' in answer) return resolve(answer.layer);
      const { ours, code, message, hint } = answer.error;
      if (ours) return reject(new CcpError({ code, message, ...(hint === undefined ? {} : { hint }) }));
      reject(storeFault(Object.assign(new Error(message), { code }), job.output));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', abort);
      if (!signal?.aborted) reject(new Error(`the layer thread ended with ${code}`));
    });
  });
}
