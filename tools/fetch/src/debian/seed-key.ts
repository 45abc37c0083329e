import type { Sha256 } from '#core';

/** Cache key of the seed built from these packages in this order. */
export function seedKey(debs: readonly Sha256[]): string {
  return ['seed 1', ...debs].join('\n');
}
