import { codeOf } from '#core';

/** What the cluster answers; `hidden` where this account may not see it, or the cluster does not know the kind. */
export async function unlessHidden<T>(ask: () => Promise<T>): Promise<T | 'hidden'> {
  try {
    return await ask();
  } catch (thrown) {
    if (codeOf(thrown) === 'cluster-denied' || codeOf(thrown) === 'cluster-kind-unknown') return 'hidden';
    throw thrown;
  }
}
