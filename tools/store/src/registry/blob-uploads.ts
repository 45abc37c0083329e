import { createHash, randomUUID, type Hash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { digestFromHex, type Sha256 } from '#core';
import { storeFault } from '../store-fault.ts';
import { sha512OfFile, type ContentDigest } from './content-digest.ts';
import { RegistryFault } from './registry-fault.ts';
import type { RegistryLimits } from './registry-limits.ts';
import type { RegistryInbox } from './registry-storage.ts';

interface Upload {
  readonly repository: string;
  readonly file: string;
  readonly hash: Hash;
  size: number;
  busy: boolean;
  /** Time when the last request started or finished, in milliseconds of `performance`. */
  used: number;
}

/** Uploads in progress. Each is hashed while it arrives, and stored only if its digest is right. */
export interface BlobUploads {
  start(repository: string): string;
  /** The number of bytes received so far. */
  received(repository: string, id: string): number;
  /**
   * Appends data; `offset` is the position according to the client. Resolves with the number of
   * bytes received so far.
   */
  append(
    repository: string,
    id: string,
    data: AsyncIterable<Uint8Array>,
    offset?: number,
  ): Promise<number>;
  finish(repository: string, id: string, digest: ContentDigest): Promise<void>;
  cancel(repository: string, id: string): Promise<void>;
}

/** Accepts uploads into `inbox`. Methods throw `RegistryFault`, and `store-full` on a full disk. */
export function blobUploads(
  inbox: RegistryInbox,
  limits: Pick<RegistryLimits, 'blobBytes' | 'totalBytes' | 'uploads' | 'idleMs'>,
): BlobUploads {
  const uploads = new Map<string, Upload>();
  let total = 0;
  const count = (upload: Upload, bytes: number): void => {
    upload.size += bytes;
    total += bytes;
    if (upload.size > limits.blobBytes)
      throw new RegistryFault(
        413,
        'SIZE_INVALID',
        `a blob must not exceed ${limits.blobBytes} bytes`,
      );
    if (total > limits.totalBytes)
      throw new RegistryFault(
        413,
        'SIZE_INVALID',
        `the blobs pushed in one run must not exceed ${limits.totalBytes} bytes`,
      );
  };
  const find = (repository: string, id: string): Upload => {
    const upload = uploads.get(id);
    if (upload === undefined || upload.repository !== repository)
      throw new RegistryFault(404, 'BLOB_UPLOAD_UNKNOWN', 'the upload does not exist');
    if (upload.busy)
      throw new RegistryFault(416, 'BLOB_UPLOAD_INVALID', 'the upload is receiving another chunk');
    return upload;
  };
  const drop = async (id: string, upload: Upload): Promise<void> => {
    uploads.delete(id);
    await rm(upload.file, { force: true });
  };
  const dropIdle = (): void => {
    for (const [id, upload] of uploads)
      if (!upload.busy && performance.now() - upload.used > limits.idleMs)
        drop(id, upload).catch(() => undefined);
  };
  return {
    start(repository) {
      dropIdle();
      if (uploads.size >= limits.uploads)
        throw new RegistryFault(
          429,
          'TOOMANYREQUESTS',
          `${limits.uploads} uploads are in progress, which is the maximum`,
        );
      const id = randomUUID();
      uploads.set(id, {
        repository,
        file: inbox.scratch(),
        hash: createHash('sha256'),
        size: 0,
        busy: false,
        used: performance.now(),
      });
      return id;
    },
    received: (repository, id) => find(repository, id).size,
    async append(repository, id, data, offset) {
      const upload = find(repository, id);
      if (offset !== undefined && offset !== upload.size) {
        throw new RegistryFault(
          416,
          'BLOB_UPLOAD_INVALID',
          `the upload is at byte ${upload.size}, not ${offset}`,
        );
      }
      upload.busy = true;
      try {
        await receive(upload, data, count);
        return upload.size;
      } catch (thrown) {
        await drop(id, upload);
        throw storeFault(thrown, upload.file);
      } finally {
        upload.busy = false;
        upload.used = performance.now();
      }
    },
    async finish(repository, id, digest) {
      const upload = find(repository, id);
      upload.busy = true;
      try {
        if (upload.size === 0) await (await open(upload.file, 'a')).close();
        const own = digestFromHex(upload.hash.digest('hex') as Sha256);
        const alias = digest.startsWith('sha512:') ? await sha512OfFile(upload.file) : undefined;
        const actual = alias ?? own;
        if (actual !== digest)
          throw new RegistryFault(
            400,
            'DIGEST_INVALID',
            `the upload has the digest ${actual}, not ${digest}`,
          );
        inbox.putBlob(upload.file, own, alias);
        uploads.delete(id);
      } catch (thrown) {
        await drop(id, upload);
        throw storeFault(thrown, upload.file);
      }
    },
    cancel: (repository, id) => drop(id, find(repository, id)),
  };
}

async function receive(
  upload: Upload,
  data: AsyncIterable<Uint8Array>,
  count: (upload: Upload, bytes: number) => void,
): Promise<void> {
  const file = await open(upload.file, 'a');
  try {
    for await (const chunk of data) {
      count(upload, chunk.length);
      upload.hash.update(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}
