import { connectEngine } from './connect-engine.ts';
import { runningEndpoint } from './private-engine.ts';

/**
 * Drops build cache and unnamed images of this folder's engine; resolves with the bytes freed, `undefined` where it does not run.
 * Raises `engine-unreachable` and `engine-failed`.
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
