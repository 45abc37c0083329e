import { codeOf } from '#core';

/**
 * The cluster's answer; `hidden` if this account may not read it, or the cluster does not have the
 * kind.
 */
export async function unlessHidden<T>(ask: () => Promise<T>): Promise<T | 'hidden'> {
  try {
    return await ask();
  } catch (thrown) {
    if (codeOf(thrown) === 'cluster-denied' || codeOf(thrown) === 'cluster-kind-unknown')
      return 'hidden';
    throw thrown;
  }
}
