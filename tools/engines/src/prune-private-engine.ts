import { connectEngine } from './connect-engine.ts';
import { runningEndpoint } from './private-engine.ts';

/**
 * Removes the build cache and unnamed images of this folder's engine. Resolves with the freed
 * bytes; `undefined` if it does not run. Throws `engine-unreachable` and `engine-failed`.
 */
export async function prunePrivateEngine(folder: string): Promise<number | undefined> {
  const endpoint = runningEndpoint(folder);
  if (endpoint === undefined) return undefined;
  const engine = await connectEngine(endpoint);
  try {
    return await engine.prune();
  } finally {
    await engine.close();
  }
}
