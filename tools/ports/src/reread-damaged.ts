import { setTimeout } from 'node:timers/promises';
import { backOffMs, CcpError, codeOf, messageOf, retry } from '#core';

const ATTEMPTS = 3;
const PAUSE = { firstMs: 200, limitMs: 2000 };
/** Errors after the last attempt: an outer call does not repeat them. */
const final = new WeakSet<Error>();

/**
 * Reads content of a registry, and reads it again after `registry-damaged`: a broken connection may
 * have cut it off. Throws `registry-damaged` after the third attempt, and other errors at once.
 */
export async function rereadDamaged<T>(
  read: () => Promise<T>,
  sleep: (ms: number) => Promise<unknown> = setTimeout,
): Promise<T> {
  try {
    return await retry(read, ATTEMPTS, async (thrown, attempt) => {
      if (codeOf(thrown) !== 'registry-damaged' || final.has(thrown as Error)) return false;
      await sleep(backOffMs(PAUSE, attempt));
      return true;
    });
  } catch (thrown) {
    if (codeOf(thrown) !== 'registry-damaged' || final.has(thrown as Error)) throw thrown;
    const error = new CcpError({
      code: 'registry-damaged',
      message: `${messageOf(thrown)} (${ATTEMPTS} attempts)`,
      hint: "publish the content again to replace it, or check the registry's storage",
      cause: thrown,
    });
    final.add(error);
    throw error;
  }
}
