import { digestOf, hexOf } from '#core';

/** An image set of 2026.1 whose images do not exist, for clusters whose nodes run no containers. */
export function missingImageSet(names: readonly string[]): string {
  const fingerprint = hexOf(digestOf(''));
  const images = names.map((name) => ({
    name,
    version: `2026.1-${fingerprint.slice(0, 32)}`,
    fingerprint,
    digest: digestOf(name),
    size: 1,
    compressedSize: 1,
    shipped: true,
    sources: {},
    packages: { debian: {}, python: {} },
    parents: {},
  }));
  return JSON.stringify({ format: 1, series: '2026.1', platform: 'linux/amd64', images });
}
