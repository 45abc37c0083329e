import type Docker from 'dockerode';
import { CcpError, isDigest, isRecord, type Digest } from '#core';
import type { RegistryLogin } from '#ports';
import { requestStream, requestJson } from './docker-request.ts';
import {
  brokenError,
  cancelledError,
  engineError,
  isDiskFull,
  statusOf,
  type EngineCall,
} from './engine-error.ts';
import { failureIn, readJsonLines } from './json-lines.ts';

/** Messages in a push or pull stream for which a retry is useless. */
const REFUSED =
  /does not exist|not found|manifest unknown|denied|unauthorized|authentication required|no basic auth|invalid|unsupported/i;
const TRANSIENT =
  /connection reset|connection refused|broken pipe|EOF|i\/o timeout|received unexpected HTTP status: 5\d\d|context canceled/i;

/**
 * Splits `HOST:PORT/NAME:TAG` or `HOST:PORT/NAME@sha256:…` into the name and the tag or digest.
 */
function splitReference(reference: string): { readonly name: string; readonly tag: string } {
  const at = reference.indexOf('@');
  const cut = at === -1 ? reference.indexOf(':', reference.lastIndexOf('/')) : at;
  return cut === -1
    ? { name: reference, tag: 'latest' }
    : { name: reference.slice(0, cut), tag: reference.slice(cut + 1) };
}

/** Pushes with `login`. Resolves with the manifest digest that the engine reports. */
export async function pushFromEngine(
  docker: Docker,
  engine: string,
  reference: string,
  signal: AbortSignal,
  login: RegistryLogin | undefined,
): Promise<Digest> {
  const { name, tag } = splitReference(reference);
  const call = {
    engine,
    doing: `push ${reference}`,
    refused: 'push-refused',
    failed: 'push-failed',
  };
  let pushed: Digest | undefined;
  await follow(
    call,
    signal,
    () =>
      requestStream(docker, {
        method: 'POST',
        path: `/images/${name}/push`,
        query: { tag },
        signal,
        login,
      }),
    (message) => (pushed = pushedDigest(message, tag) ?? pushed),
  );
  if (pushed !== undefined) return pushed;
  throw brokenError('its response contains no digest of the pushed image', call);
}

/** Pulls with `login`. */
export async function pullToEngine(
  docker: Docker,
  engine: string,
  reference: string,
  signal: AbortSignal,
  login: RegistryLogin | undefined,
): Promise<void> {
  const { name, tag } = splitReference(reference);
  await follow(
    { engine, doing: `pull ${reference}`, refused: 'pull-refused', failed: 'pull-failed' },
    signal,
    () =>
      requestStream(docker, {
        method: 'POST',
        path: '/images/create',
        query: { fromImage: name, tag },
        signal,
        login,
      }),
  );
}

/** Removes a reference. A missing reference is not an error. */
export async function untagImage(docker: Docker, engine: string, reference: string): Promise<void> {
  try {
    await docker.getImage(reference).remove({ force: true });
  } catch (thrown) {
    if (statusOf(thrown) !== 404)
      throw engineError(thrown, { engine, doing: `untag ${reference}`, refused: 'engine-failed' });
  }
}

/** Removes every reference, by tag or by digest, that starts with one of `prefixes`. */
export async function untagAll(
  docker: Docker,
  engine: string,
  prefixes: readonly string[],
): Promise<void> {
  const images = await docker.listImages().catch((thrown: unknown) => {
    throw engineError(thrown, {
      engine,
      doing: `list images that start with ${prefixes.join(' or ')}`,
      refused: 'engine-failed',
    });
  });
  const references = images
    .flatMap(({ RepoTags, RepoDigests }) => [...(RepoTags ?? []), ...(RepoDigests ?? [])])
    .filter((reference) => prefixes.some((prefix) => reference.startsWith(prefix)));
  for (const reference of references) await untagImage(docker, engine, reference);
}

/** Removes the build cache and all unnamed images. Resolves with the freed bytes. */
export async function pruneImages(docker: Docker, engine: string): Promise<number> {
  try {
    const cache = (await requestJson(docker, {
      method: 'POST',
      path: '/build/prune',
      query: { all: '1' },
    })) as { readonly SpaceReclaimed?: number };
    const images = await docker.pruneImages({ filters: { dangling: ['true'] } });
    return (cache.SpaceReclaimed ?? 0) + (images.SpaceReclaimed ?? 0);
  } catch (thrown) {
    throw engineError(thrown, { engine, doing: 'prune', refused: 'engine-failed' });
  }
}

/** Reads the response of a push or pull. A failure may also be part of a stream with status 200. */
async function follow(
  call: EngineCall & { readonly failed: string },
  signal: AbortSignal,
  open: () => Promise<AsyncIterable<Uint8Array>>,
  take: (message: Readonly<Record<string, unknown>>) => void = () => undefined,
): Promise<void> {
  try {
    for await (const message of readJsonLines(await open())) {
      const failure = failureIn(message);
      if (failure === undefined) {
        take(message);
        continue;
      }
      if (isDiskFull(failure) || TRANSIENT.test(failure)) throw brokenError(failure, call);
      throw new CcpError({
        code: REFUSED.test(failure) ? call.refused : call.failed,
        message: `cannot ${call.doing}: ${failure}`,
      });
    }
  } catch (thrown) {
    if (signal.aborted) throw cancelledError(call.doing, call.engine);
    throw engineError(thrown, call);
  }
}

/** The digest in a line of a push: either structured data or `TAG: digest: sha256:… size: N`. */
function pushedDigest(
  { aux, status }: Readonly<Record<string, unknown>>,
  tag: string,
): Digest | undefined {
  const structured = isRecord(aux) && aux['Tag'] === tag ? aux['Digest'] : undefined;
  const text =
    structured ??
    (typeof status === 'string'
      ? /: digest: (sha256:[0-9a-f]{64}) size: \d+$/.exec(status)?.[1]
      : '');
  return typeof text === 'string' && isDigest(text) ? text : undefined;
}
