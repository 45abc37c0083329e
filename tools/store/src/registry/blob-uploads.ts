import { createHash, randomUUID, type Hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { hexOf, type Digest } from '#core';
import { storeFault } from '../layout/store-fault.ts';
import { RegistryFault } from './registry-fault.ts';
import type { RegistryInbox } from './registry-storage.ts';

/** Largest blob that is taken, bytes. */
const MAX_BLOB = 64 * 2 ** 30;

interface Upload {
  readonly repository: string;
  readonly file: string;
  readonly hash: Hash;
  size: number;
  busy: boolean;
}

/** Uploads under way; each is hashed while its bytes arrive, and becomes a blob only by its digest. */
export interface BlobUploads {
  start(repository: string): string;
  /** Bytes received so far. */
  received(repository: string, id: string): number;
  /** Appends; `offset` is where the client believes it stands. Resolves with the bytes received so far. */
  append(repository: string, id: string, data: AsyncIterable<Uint8Array>, offset?: number): Promise<number>;
  finish(repository: string, id: string, digest: Digest): Promise<void>;
  cancel(repository: string, id: string): Promise<void>;
}

/** Uploads into `inbox`. Methods raise a `RegistryFault`, and `store-full` on a full disk. */
export function blobUploads(inbox: RegistryInbox): BlobUploads {
  const uploads = new Map<string, Upload>();
  const find = (repository: string, id: string): Upload => {
    const upload = uploads.get(id);
    if (upload === undefined || upload.repository !== repository) throw new RegistryFault(404, 'BLOB_UPLOAD_UNKNOWN', 'there is no such upload');
    if (upload.busy) throw new RegistryFault(416, 'BLOB_UPLOAD_INVALID', 'the upload is receiving another chunk');
    return upload;
  };
  const drop = async (id: string, upload: Upload): Promise<void> => {
    uploads.delete(id);
    await rm(upload.file, { force: true });
  };
  return {
    start(repository) {
      const id = randomUUID();
      uploads.set(id, { repository, file: inbox.scratch(), hash: createHash('sha256'), size: 0, busy: false });
      return id;
    },
    received: (repository, id) => find(repository, id).size,
    async append(repository, id, data, offset) {
      const upload = find(repository, id);
      if (offset !== undefined && offset !== upload.size) {
        throw new RegistryFault(416, 'BLOB_UPLOAD_INVALID', `the upload stands at byte ${upload.size}, not ${offset}`);
      }
      upload.busy = true;
      try {
        await receive(upload, data);
        return upload.size;
      } catch (thrown) {
        await drop(id, upload);
        throw storeFault(thrown, upload.file);
      } finally {
        upload.busy = false;
      }
    },
    async finish(repository, id, digest) {
      const upload = find(repository, id);
      const actual = upload.hash.digest('hex');
      if (upload.size === 0) await (await open(upload.file, 'a')).close();
      if (actual !== hexOf(digest)) {
        await drop(id, upload);
        throw new RegistryFault(400, 'DIGEST_INVALID', `the upload hashes to sha256:${actual}, not ${digest}`);
      }
      uploads.delete(id);
      inbox.putBlob(upload.file, digest);
    },
    cancel: (repository, id) => drop(id, find(repository, id)),
  };
}

async function receive(upload: Upload, data: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await open(upload.file, 'a');
  try {
    for await (const chunk of data) {
      upload.size += chunk.length;
      if (upload.size > MAX_BLOB) throw new RegistryFault(413, 'SIZE_INVALID', `a blob may have ${MAX_BLOB} bytes`);
      upload.hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}
