import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexOf } from '#core';
import { imageStoreSuite } from '#ports/testing';
import { openStore } from './index.ts';
import { readManifest } from './layout/oci.ts';
import { fixtureTar } from './testing/fixture-tar.ts';
import { pushTo } from './testing/push-image.ts';

imageStoreSuite('the OCI layout on disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-store-suite-'));
  let store = await openStore({ folder });
  return {
    get store() {
      return store;
    },
    push: async (reference, files) => {
      const members = Object.entries(files).map(
        ([name, content]) => ({ name, type: 'file', content }) as const,
      );
      return (await pushTo(store, reference, [fixtureTar(members)])).digest;
    },
    damage: async ({ digest }) => {
      const { manifest } = await store.inspect(digest);
      for (const layer of readManifest(manifest).layers)
        writeFileSync(join(folder, 'blobs/sha256', hexOf(layer.digest)), 'other');
    },
    reopen: async () => {
      await store.close();
      return (store = await openStore({ folder }));
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
});
