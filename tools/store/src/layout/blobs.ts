import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, digestOf, hexOf, type Digest, type Json } from '#core';
import { flushFolder, writeFileAtomic } from './atomic-file.ts';

/** Largest manifest, index or configuration that is read, bytes. */
export const MAX_DOCUMENT = 4 << 20;

/** A folder of files named by their SHA-256. */
export interface Blobs {
  path(digest: Digest): string;
  /** A new path for a blob in the making, on the same disk. */
  scratch(): string;
  /** Bytes; undefined where the blob is not there. */
  size(digest: Digest): number | undefined;
  /** Stores a document; nothing is written where it is there. */
  put(bytes: string | Uint8Array): Digest;
  /** Takes over a flushed file that hashes to `digest`. */
  adopt(file: string, digest: Digest): void;
  /** A JSON document, checked against its digest. Raises `store-corrupt`. */
  document(digest: Digest): { readonly bytes: Buffer; readonly json: Json };
  /** Reads all of a blob and raises `store-corrupt` where it is missing or does not hash to its name. */
  verify(digest: Digest): Promise<void>;
  remove(digest: Digest): void;
  /** Makes the names of all blobs outlive a loss of power. */
  flush(): void;
}

/** Blobs under `folder`, files in the making under `scratch`; to write, both must exist. */
export function openBlobs(folder: string, scratch: string): Blobs {
  const path = (digest: Digest): string => join(folder, hexOf(digest));
  const size = (digest: Digest): number | undefined => statSync(path(digest), { throwIfNoEntry: false })?.size;
  return {
    path,
    size,
    scratch: () => join(scratch, randomUUID()),
    put(bytes) {
      const digest = digestOf(bytes);
      if (size(digest) !== Buffer.byteLength(bytes)) writeFileAtomic(path(digest), bytes, scratch);
      return digest;
    },
    adopt(file, digest) {
      renameSync(file, path(digest));
    },
    document(digest) {
      const length = size(digest);
      if (length === undefined) throw corrupt(digest, 'is missing');
      if (length > MAX_DOCUMENT) throw corrupt(digest, `is no document, it has ${length} bytes`);
      const bytes = readFileSync(path(digest));
      if (digestOf(bytes) !== digest) throw corrupt(digest, 'has other content than its name says');
      try {
        return { bytes, json: JSON.parse(bytes.toString()) as Json };
      } catch {
        throw corrupt(digest, 'is not JSON');
      }
    },
    async verify(digest) {
      const hash = createHash('sha256');
      try {
        for await (const chunk of createReadStream(path(digest), { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
      } catch (thrown) {
        if (codeOf(thrown) === 'ENOENT') throw corrupt(digest, 'is missing');
        throw thrown;
      }
      if (hash.digest('hex') !== hexOf(digest)) throw corrupt(digest, 'has other content than its name says');
    },
    remove: (digest) => rmSync(path(digest), { force: true }),
    flush: () => flushFolder(folder),
  };
}

function corrupt(digest: Digest, reason: string): CcpError {
  return new CcpError({
    code: 'store-corrupt',
    message: `the image store is damaged: blob ${digest} ${reason}`,
    hint: 'drop the store with `ccp clean --all` and build again; locked inputs stay in the cache',
  });
}
