import type { Sha256 } from '#core';

/** Under which key the cache keeps the seed made of these packages, in this order. */
export function seedKey(debs: readonly Sha256[]): string {
  return ['seed 1', ...debs].join('\n');
}
