import { parentPort } from 'node:worker_threads';
import { CcpError, codeOf, messageOf, omitUndefined } from '#core';
import type { LayerAnswer } from './layer-workers.ts';
import { normaliseLayer, type LayerJob } from './normalise-layer.ts';

parentPort?.on('message', (job: LayerJob) => {
  void answerOf(job).then((answer) => parentPort?.postMessage(answer));
});

async function answerOf(job: LayerJob): Promise<LayerAnswer> {
  try {
    return { layer: await normaliseLayer(job) };
  } catch (thrown) {
    const hint = thrown instanceof CcpError ? thrown.hint : undefined;
    return {
      error: {
        ours: thrown instanceof CcpError,
        code: codeOf(thrown) ?? 'unknown',
        message: messageOf(thrown),
        ...omitUndefined({ hint }),
      },
    };
  }
}
