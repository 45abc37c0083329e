import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { memoryRegistry } from '#ports/testing';
import { newKeyPair, publishSet, signerOf } from '../index.ts';
import { memoryImages } from '../testing/memory-images.ts';
import { slowRegistry } from '../testing/slow-registry.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);

it('gives all publishers of a fingerprint one digest, whoever is first', async () => {
  for (let round = 0; round < 5; round += 1) {
    const registry = memoryRegistry();
    const published = await Promise.all(
      Array.from({ length: 16 }, async (_, builder) => {
        const { set, content } = memoryImages(['base'], `${builder}`);
        const place = { registry: slowRegistry(registry), prefix: 'ccp' };
        // Waits are 20 times shorter; calls of the registry take up to 3 ms.
        const sleep = (ms: number) => setTimeout(ms / 20);
        return publishSet({ place, set, content, signer, keys: [signer.key], sleep });
      }),
    );
    const digests = new Set(published.map(({ set }) => set.images[0]!.digest));
    const { name, version } = published[0]!.set.images[0]!;
    expect([...digests]).toEqual([registry.names.get(`ccp/${name}:${version}`)]);
  }
});
