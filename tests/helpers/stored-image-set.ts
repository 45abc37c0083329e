import { join } from 'node:path';
import type { ImageSet } from '#release';
import { openStore } from '#store';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from '../../tools/store/src/testing/push-image.ts';
import { missingImageSet } from './missing-image-set.ts';

/** Stores images of one file in the workspace `root`; resolves with the text of their image set. */
export async function storedImageSet(root: string, names: readonly string[]): Promise<string> {
  const set = JSON.parse(missingImageSet(names)) as ImageSet;
  const store = await openStore({ folder: join(root, '.ccp/store') });
  try {
    const images = [];
    for (const entry of set.images) {
      const { name } = entry;
      const tar = fixtureTar([{ name, type: 'file' }]);
      const stored = await pushAndSeal(store, testIdentity(name), [tar]);
      await store.publish(stored);
      const { digest, fingerprint, size, compressedSize } = stored;
      const version = `2026.1-${fingerprint.slice(0, 32)}`;
      images.push({ ...entry, version, digest, fingerprint, size, compressedSize });
    }
    return JSON.stringify({ ...set, images });
  } finally {
    await store.close();
  }
}
