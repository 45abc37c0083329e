import { parentPort, workerData } from 'node:worker_threads';
import { CcpError, codeOf, messageOf } from '#core';
import { normaliseLayer, type LayerJob } from './normalise-layer.ts';

try {
  parentPort?.postMessage({ layer: await normaliseLayer(workerData as LayerJob) });
} catch (thrown) {
  const hint = thrown instanceof CcpError ? thrown.hint : undefined;
  parentPort?.postMessage({ error: { ours: thrown instanceof CcpError, code: codeOf(thrown) ?? 'unknown', message: messageOf(thrown), hint } });
}
