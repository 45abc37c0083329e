import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { CcpError, codeOf, digestOf, hexOf, type Digest, type Json } from '#core';
import { flushPath } from './atomic-file.ts';
import { checkedSizes, markChecked, unmarkChecked } from './checked-size.ts';
import { storeFault } from './store-fault.ts';

/** Largest manifest, index or configuration that is read, bytes. */
export const MAX_DOCUMENT = 4 << 20;

/**
 * A folder of files named by their SHA-256. What comes is read from where it was made until `flush` has written it out: so a
 * file under its final name is whole, also after a loss of power, and nobody waits for the disk before.
 */
export interface Blobs {
  /** Where the blob is; what was returned stays true until it is removed. */
  path(digest: Digest): string;
  /** A new path for a blob in the making, on the same disk. */
  scratch(): string;
  /** Bytes; undefined where the blob is not there or is damaged. A file that was written to since it came is read to tell. */
  size(digest: Digest): number | undefined;
  /** Bytes of the blob's file, whatever they are; undefined where there is none. */
  fileSize(digest: Digest): number | undefined;
  /** Stores a document; nothing is written where it is there. */
  put(bytes: string | Uint8Array): Digest;
  /** Takes over a file on the same disk that hashes to `digest`. */
  adopt(file: string, digest: Digest): void;
  /** A JSON document, checked against its digest. Raises `store-corrupt`; a damaged one is missing for `size` from then on. */
  document(digest: Digest): { readonly bytes: Buffer; readonly json: Json };
  /** Reads all of a blob and raises `store-corrupt` where it is missing or does not hash to its name; it is missing for `size` from then on. */
  verify(digest: Digest): Promise<void>;
  remove(digest: Digest): void;
  /** Gives all that came their final names, for good. Raises `store-full`. */
  flush(): Promise<void>;
}

/** Blobs under `folder`, files in the making under `scratch`, which its owner empties; to write, both must exist. */
export function openBlobs(folder: string, scratch: string): Blobs {
  const fresh = new Map<Digest, string>();
  const named = (digest: Digest): string => join(folder, hexOf(digest));
  const path = (digest: Digest): string => fresh.get(digest) ?? named(digest);
  const checkedSize = checkedSizes();
  const size = (digest: Digest): number | undefined => checkedSize(path(digest), digest);
  const fileSize = (digest: Digest): number | undefined => statSync(path(digest), { throwIfNoEntry: false })?.size;
  const damaged = (digest: Digest): CcpError => {
    unmarkChecked(path(digest));
    return corrupt(digest, 'has other content than its name says');
  };
  const newScratch = (): string => join(scratch, randomUUID());
  const settle = async (digest: Digest, file: string): Promise<void> => {
    const name = newScratch();
    try {
      await flushPath(file);
      await link(file, name);
      await rename(name, named(digest));
    } catch (thrown) {
      if (fresh.get(digest) === file) throw thrown;
    }
  };
  return {
    path,
    size,
    fileSize,
    scratch: newScratch,
    put(bytes) {
      const digest = digestOf(bytes);
      if (size(digest) === Buffer.byteLength(bytes)) return digest;
      const file = newScratch();
      try {
        writeFileSync(file, bytes, { flag: 'wx', mode: 0o644 });
        markChecked(file);
      } catch (thrown) {
        throw storeFault(thrown, file);
      }
      fresh.set(digest, file);
      return digest;
    },
    adopt(file, digest) {
      const taken = newScratch();
      renameSync(file, taken);
      markChecked(taken);
      fresh.set(digest, taken);
    },
    document(digest) {
      const length = fileSize(digest);
      if (length === undefined) throw corrupt(digest, 'is missing');
      if (length > MAX_DOCUMENT) throw corrupt(digest, `is no document, it has ${length} bytes`);
      const bytes = readFileSync(path(digest));
      if (digestOf(bytes) !== digest) throw damaged(digest);
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
      if (hash.digest('hex') !== hexOf(digest)) throw damaged(digest);
    },
    remove(digest) {
      rmSync(path(digest), { force: true });
      fresh.delete(digest);
      rmSync(named(digest), { force: true });
    },
    async flush() {
      const files = [...fresh];
      if (files.length === 0) return;
      try {
        await Promise.all(files.map(([digest, file]) => settle(digest, file)));
        await flushPath(folder);
      } catch (thrown) {
        throw storeFault(thrown, folder);
      }
      for (const [digest, file] of files) if (fresh.get(digest) === file) fresh.delete(digest);
    },
  };
}

function corrupt(digest: Digest, reason: string): CcpError {
  return new CcpError({
    code: 'store-corrupt',
    message: `the image store is damaged: blob ${digest} ${reason}`,
    hint: 'run `ccp build`, which builds again what is missing or damaged; if that does not help, drop the store with `ccp clean --all`',
  });
}
