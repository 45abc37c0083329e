import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type Docker from 'dockerode';
import type { EngineBuildRequest, EngineEvents } from '#ports';
import { askStream, askValue } from './ask-engine.ts';
import { buildFailure } from './build-failure.ts';
import { buildProgress } from './build-progress.ts';
import { readTrace } from './build-trace.ts';
import { brokenError, cancelledError, engineError, type EngineCall } from './engine-error.ts';
import { failureIn, readJsonLines } from './json-lines.ts';

const CANCEL_WAIT_MS = 1500;

/**
 * Builds with BuildKit (`POST /build?version=2`). No session is opened: the context is the request's body and parents come
 * from registries without credentials, so the engine never asks for one (checked on 20.10). dockerode's own `buildImage`
 * would open one, over gRPC, and never close it where a build is cut.
 */
export async function buildImage(
  docker: Docker,
  engine: string,
  request: EngineBuildRequest,
  events: EngineEvents,
  signal: AbortSignal,
): Promise<{ readonly imageId: string }> {
  const call: EngineCall = { engine, doing: `build ${request.reference}`, refused: 'build-invalid' };
  if (signal.aborted) throw cancelledError(call.doing, engine);
  const id = randomUUID();
  const connection = new AbortController();
  const source = watched(request.context());
  const body = Readable.from(source.chunks, { objectMode: false });
  // Cutting the connection stops the build too, where the engine cannot be asked.
  const cancel = (): void => {
    const cut = setTimeout(() => connection.abort(), CANCEL_WAIT_MS);
    void askValue(docker, { method: 'POST', path: '/build/cancel', query: { id } })
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

async function followBuild(response: AsyncIterable<Uint8Array>, events: EngineEvents, call: EngineCall): Promise<string> {
  const progress = buildProgress(events);
  let imageId: string | undefined;
  for await (const message of readJsonLines(response)) {
    const failure = failureIn(message);
    if (failure !== undefined) throw buildFailure(failure, progress.failedStep(), call);
    const aux = message['aux'];
    if (message['id'] === 'moby.buildkit.trace' && typeof aux === 'string') progress.take(readTrace(Buffer.from(aux, 'base64')));
    if (message['id'] === 'moby.image.id' && typeof aux === 'object' && aux !== null && 'ID' in aux) imageId = String(aux.ID);
  }
  if (imageId === undefined) throw brokenError('its answer ended before the build did', call);
  return imageId;
}

function openBuild(docker: Docker, id: string, request: EngineBuildRequest, body: Readable, signal: AbortSignal): Promise<Readable> {
  const query = {
    version: '2',
    buildid: id,
    t: request.reference,
    dockerfile: request.dockerfile,
    networkmode: request.network,
    platform: request.platform,
    buildargs: JSON.stringify(request.buildArgs),
    ...(request.noCache ? { nocache: '1' } : {}),
  };
  return askStream(docker, { method: 'POST', path: '/build', query, body, signal });
}

/** The chunks of a context, and whatever ended them early, as it was raised: the engine only sees a broken connection. */
function watched(context: AsyncIterable<Uint8Array>): { readonly chunks: AsyncIterable<Uint8Array>; failed(): boolean; failure(): unknown } {
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
