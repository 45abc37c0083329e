import type Docker from 'dockerode';
import { CcpError } from '#core';
import { askValue } from './ask-engine.ts';
import { brokenError, cancelledError, engineError, isDiskFull, statusOf, type EngineCall } from './engine-error.ts';
import { failureIn, readJsonLines } from './json-lines.ts';

/** What a push or a pull says in its stream when trying again cannot help. */
const REFUSED = /does not exist|not found|manifest unknown|denied|unauthorized|authentication required|invalid|unsupported/i;
const PASSING = /connection reset|connection refused|broken pipe|EOF|i\/o timeout|received unexpected HTTP status: 5\d\d|context canceled/i;

/** Splits `HOST:PORT/NAME:TAG` or `HOST:PORT/NAME@sha256:…` into the name and what comes after it. */
function splitReference(reference: string): { readonly name: string; readonly tag: string } {
  const at = reference.indexOf('@');
  const cut = at === -1 ? reference.indexOf(':', reference.lastIndexOf('/')) : at;
  return cut === -1 ? { name: reference, tag: 'latest' } : { name: reference.slice(0, cut), tag: reference.slice(cut + 1) };
}

/** Pushes without credentials; the header must be there all the same. */
export async function pushImage(docker: Docker, engine: string, reference: string, signal: AbortSignal): Promise<void> {
  const { name, tag } = splitReference(reference);
  await follow({ engine, doing: `push ${reference}`, refused: 'push-refused', failed: 'push-failed' }, signal, () =>
    docker.getImage(name).push({ tag, authconfig: {} as never, abortSignal: signal }),
  );
}

/** Pulls without credentials. */
export async function pullImage(docker: Docker, engine: string, reference: string, signal: AbortSignal): Promise<void> {
  const { name, tag } = splitReference(reference);
  await follow({ engine, doing: `pull ${reference}`, refused: 'pull-refused', failed: 'pull-failed' }, signal, () =>
    docker.createImage({ fromImage: name, tag, abortSignal: signal }),
  );
}

/** Forgets a reference; no error where it is not there. */
export async function untagImage(docker: Docker, engine: string, reference: string): Promise<void> {
  try {
    await docker.getImage(reference).remove({ force: true });
  } catch (thrown) {
    if (statusOf(thrown) !== 404) throw engineError(thrown, { engine, doing: `untag ${reference}`, refused: 'engine-failed' });
  }
}

/** Forgets every reference that begins with one of `prefixes`, by tag and by digest. */
export async function untagAll(docker: Docker, engine: string, prefixes: readonly string[]): Promise<void> {
  const images = await docker.listImages().catch((thrown: unknown) => {
    throw engineError(thrown, { engine, doing: `list what begins with ${prefixes.join(' or ')}`, refused: 'engine-failed' });
  });
  const references = images
    .flatMap(({ RepoTags, RepoDigests }) => [...(RepoTags ?? []), ...(RepoDigests ?? [])])
    .filter((reference) => prefixes.some((prefix) => reference.startsWith(prefix)));
  for (const reference of references) await untagImage(docker, engine, reference);
}

/** Drops the build cache and every image without a name. */
export async function pruneImages(docker: Docker, engine: string): Promise<number> {
  try {
    const cache = (await askValue(docker, { method: 'POST', path: '/build/prune', query: { all: '1' } })) as { readonly SpaceReclaimed?: number };
    const images = await docker.pruneImages({ filters: { dangling: ['true'] } });
    return (cache.SpaceReclaimed ?? 0) + (images.SpaceReclaimed ?? 0);
  } catch (thrown) {
    throw engineError(thrown, { engine, doing: 'prune', refused: 'engine-failed' });
  }
}

/** Reads a push's or pull's answer to its end; a failure in a stream of status 200 is raised too. */
async function follow(call: EngineCall & { readonly failed: string }, signal: AbortSignal, open: () => Promise<NodeJS.ReadableStream>): Promise<void> {
  try {
    for await (const message of readJsonLines((await open()) as AsyncIterable<Uint8Array>)) {
      const failure = failureIn(message);
      if (failure === undefined) continue;
      if (isDiskFull(failure) || PASSING.test(failure)) throw brokenError(failure, call);
      throw new CcpError({ code: REFUSED.test(failure) ? call.refused : call.failed, message: `cannot ${call.doing}: ${failure}` });
    }
  } catch (thrown) {
    if (signal.aborted) throw cancelledError(call.doing, call.engine);
    throw engineError(thrown, call);
  }
}
