import { join } from 'node:path';
import { openBlobs } from './layout/blobs.ts';
import { readIndexEntries } from './layout/index-file.ts';
import { layoutStorage } from './layout/layout-storage.ts';
import { inspectImage, verifyImage } from './layout/stored-documents.ts';
import type { ServedStore, ServeOptions } from './options.ts';
import { serveRegistry } from './registry/serve-registry.ts';

/**
 * See `serveStore` in index.ts. Reads the index for each request, to see newly published images.
 */
export async function serveStore({
  folder,
  host = '127.0.0.1',
  port = 0,
}: ServeOptions): Promise<ServedStore> {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  const storage = layoutStorage(blobs, () => readIndexEntries(folder));
  const server = await serveRegistry(storage, { host, port });
  const address = `${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  return {
    address,
    reference: (image, digest) => `${address}/${image}@${digest}`,
    inspect: async (digest) => inspectImage(blobs, digest),
    verify: (digest) => verifyImage(blobs, digest),
    close: () => server.close(),
  };
}
