import { createHash, randomUUID } from 'node:crypto';
import {
  createReadStream,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { link, rename } from 'node:fs/promises';
import { join } from 'node:path';
import {
  CcpError,
  codeOf,
  digestOf,
  hexOf,
  messageOf,
  parseJson,
  type Digest,
  type Json,
} from '#core';
import { MAX_DOCUMENT } from '../registry/registry-storage.ts';
import { storeFault } from '../store-fault.ts';
import { flushPath } from './atomic-file.ts';
import { checkedSizes, markChecked, unmarkChecked } from './checked-size.ts';

/**
 * A folder of files named by their SHA-256. A new blob is read from its temporary file until
 * `flush` has written it to the disk and given it its final name. So a file with a final name is
 * complete, even after a power loss, and writers do not wait for the disk.
 */
export interface Blobs {
  /** The blob's path, valid until the blob is removed. */
  path(digest: Digest): string;
  /** A new path for a temporary file on the same disk. */
  scratch(): string;
  /**
   * Size in bytes; undefined if the blob is missing or damaged. A file modified since it was stored
   * is hashed again.
   */
  size(digest: Digest): number | undefined;
  /** Size of the blob's file in bytes, damaged or not; undefined if it does not exist. */
  fileSize(digest: Digest): number | undefined;
  /** Stores a document, unless it is already stored. */
  put(bytes: string | Uint8Array): Digest;
  /** Moves a file on the same disk into the store; its digest must be `digest`. */
  adopt(file: string, digest: Digest): void;
  /**
   * A JSON document, checked against its digest. Throws `store-corrupt`; afterwards `size` reports
   * a damaged blob as missing.
   */
  document(digest: Digest): { readonly bytes: Buffer; readonly json: Json };
  /**
   * Reads and hashes a blob. Throws `store-corrupt` if it is missing or does not match its digest;
   * afterwards `size` reports it as missing.
   */
  verify(digest: Digest): Promise<void>;
  remove(digest: Digest): void;
  /** Writes all new blobs to the disk and gives them their final names. Throws `store-full`. */
  flush(): Promise<void>;
}

/**
 * Opens the blobs in `folder`, with temporary files in `scratch`, which the caller empties. Both
 * must exist before anything is written.
 */
export function openBlobs(folder: string, scratch: string): Blobs {
  const fresh = new Map<Digest, string>();
  // `join` normalises; a plan calls this for every image.
  const named = (digest: Digest): string => `${folder}/${hexOf(digest)}`;
  const path = (digest: Digest): string => fresh.get(digest) ?? named(digest);
  const checkedSize = checkedSizes();
  const size = (digest: Digest): number | undefined => checkedSize(path(digest), digest);
  const fileSize = (digest: Digest): number | undefined =>
    statSync(path(digest), { throwIfNoEntry: false })?.size;
  const damaged = (digest: Digest): CcpError => {
    unmarkChecked(path(digest));
    return corrupt(digest, 'does not match its digest');
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
      const adopted = newScratch();
      renameSync(file, adopted);
      markChecked(adopted);
      fresh.set(digest, adopted);
    },
    document(digest) {
      const length = fileSize(digest);
      if (length === undefined) throw corrupt(digest, 'is missing');
      if (length > MAX_DOCUMENT)
        throw corrupt(digest, `has ${length} bytes, too many for a document`);
      const bytes = readFileSync(path(digest));
      if (digestOf(bytes) !== digest) throw damaged(digest);
      try {
        return { bytes, json: parseJson(bytes.toString()) as Json };
      } catch (cause) {
        throw corrupt(digest, `is invalid: ${messageOf(cause)}`);
      }
    },
    async verify(digest) {
      const hash = createHash('sha256');
      try {
        for await (const chunk of createReadStream(path(digest), { highWaterMark: 1 << 20 }))
          hash.update(chunk as Buffer);
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
    hint: 'run `ccp build` to rebuild missing and damaged images; if that does not help, delete the store with `ccp clean --all`',
  });
}
