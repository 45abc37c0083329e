import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { EngineBuildRequest, EngineEvents } from '#ports';
import { requestStream, requestJson } from './docker-request.ts';
import { buildFailure } from './build-failure.ts';
import { buildProgress } from './build-progress.ts';
import { readTrace } from './build-trace.ts';
import { brokenError, cancelledError, engineError, type EngineCall } from './engine-error.ts';
import { privateRun } from './endpoint.ts';
import { failureIn, readJsonLines } from './json-lines.ts';
import { bridgeIn, enableForwarding } from './private-bridge.ts';

const CANCEL_WAIT_MS = 1500;

/**
 * Builds with BuildKit (`POST /build?version=2`), without a BuildKit session. The context is the
 * request body and the parents' registries need no credentials, so the engine never requests a
 * session (checked on 20.10). dockerode's `buildImage` opens one over gRPC and leaks it if a build
 * is aborted.
 */
export async function buildOnEngine(
  docker: Docker,
  engine: string,
  request: EngineBuildRequest,
  events: EngineEvents,
  signal: AbortSignal,
): Promise<{ readonly imageId: string }> {
  const call: EngineCall = {
    engine,
    doing: `build ${request.reference}`,
    refused: 'build-invalid',
  };
  if (signal.aborted) throw cancelledError(call.doing, engine);
  const run = request.network === 'bridge' ? privateRun(engine) : undefined;
  if (run !== undefined) enableForwarding(bridgeIn(run));
  const id = randomUUID();
  const connection = new AbortController();
  const source = watched(request.context());
  const body = Readable.from(source.chunks, { objectMode: false });
  // Closing the connection also stops the build, if the engine does not answer the cancel request.
  const cancel = (): void => {
    const cut = setTimeout(() => connection.abort(), CANCEL_WAIT_MS);
    void requestJson(docker, { method: 'POST', path: '/build/cancel', query: { id } })
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(cut);
        connection.abort();
      });
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const response = await openBuild(docker, id, request, body, connection.signal);
    return { imageId: await followBuild(response, events, call) };
  } catch (thrown) {
    if (signal.aborted) throw cancelledError(call.doing, engine);
    throw source.failed() ? source.failure() : engineError(thrown, call);
  } finally {
    signal.removeEventListener('abort', cancel);
    body.destroy();
  }
}

async function followBuild(
  response: AsyncIterable<Uint8Array>,
  events: EngineEvents,
  call: EngineCall,
): Promise<string> {
  const progress = buildProgress(events);
  let imageId: string | undefined;
  for await (const message of readJsonLines(response)) {
    const failure = failureIn(message);
    if (failure !== undefined) throw buildFailure(failure, progress.failedStep(), call);
    const aux = message['aux'];
    if (message['id'] === 'moby.buildkit.trace' && typeof aux === 'string')
      progress.take(readTrace(Buffer.from(aux, 'base64')));
    if (message['id'] === 'moby.image.id' && typeof aux === 'object' && aux !== null && 'ID' in aux)
      imageId = String(aux.ID);
  }
  if (imageId === undefined)
    throw brokenError('its response ended before the build was complete', call);
  return imageId;
}

function openBuild(
  docker: Docker,
  id: string,
  request: EngineBuildRequest,
  body: Readable,
  signal: AbortSignal,
): Promise<Readable> {
  const query = {
    version: '2',
    buildid: id,
    t: request.reference,
    dockerfile: request.dockerfile,
    // BuildKit's name for the engine's bridge.
    networkmode: request.network === 'bridge' ? 'default' : request.network,
    platform: request.platform,
    buildargs: JSON.stringify(request.buildArgs),
    ...(request.noCache ? { nocache: '1' } : {}),
  };
  return requestStream(docker, { method: 'POST', path: '/build', query, body, signal });
}

/** Records the error that interrupted a context: the engine only sees a closed connection. */
function watched(context: AsyncIterable<Uint8Array>): {
  readonly chunks: AsyncIterable<Uint8Array>;
  failed(): boolean;
  failure(): unknown;
} {
  let failed = false;
  let failure: unknown;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      yield* context;
    } catch (thrown) {
      failed = true;
      failure = thrown;
      throw thrown;
    }
  }
  return { chunks: chunks(), failed: () => failed, failure: () => failure };
}
