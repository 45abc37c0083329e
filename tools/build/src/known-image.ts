import type { ImageStore } from '#ports';
import type { PlannedImage } from '#plan';
import { outcomeOf } from './outcome.ts';
import type { Outcome } from './types.ts';

/**
 * The outcome of an image that need not be built: the store has its fingerprint, or its content key
 * under another fingerprint, which is then aliased. Undefined if it must be built. Throws the
 * store's errors.
 */
export async function knownImage(
  planned: PlannedImage,
  contentKey: string,
  store: ImageStore,
): Promise<Extract<Outcome, { readonly type: 'reused' | 'aliased' }> | undefined> {
  const same = store.byFingerprint(planned.fingerprint);
  if (same !== undefined) return { ...outcomeOf(planned), type: 'reused', stored: same };
  const equal = store.byContentKey(contentKey);
  if (equal === undefined) return undefined;
  const stored = await store.alias({ fingerprint: planned.fingerprint, contentKey }, equal);
  return { ...outcomeOf(planned), type: 'aliased', stored };
}
