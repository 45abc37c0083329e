import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { ImageContent } from '#ports';
import { openBlobs } from './blobs.ts';

/** See `openContent` in index.ts. */
export function storedContent(folder: string): ImageContent {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  return {
    document: (digest) => blobs.document(digest).bytes,
    async *blob(digest) {
      await blobs.verify(digest);
      yield* createReadStream(blobs.path(digest), {
        highWaterMark: 1 << 20,
      }) as AsyncIterable<Buffer>;
    },
  };
}
