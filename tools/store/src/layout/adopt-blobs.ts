import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { CcpError, digestOf, hexOf, parseJson, type Digest } from '#core';
import { rereadDamaged, type ImageStore } from '#ports';
import { storeFault } from '../store-fault.ts';
import type { Blobs } from './blobs.ts';
import { asRecord, readManifest, type BlobReference } from './oci.ts';

type Read = Parameters<ImageStore['adopt']>[2];

/**
 * Copies the manifest, the configuration and the layers of an image into `blobs`. Blobs that are
 * stored already are not read. Throws `store-corrupt` if bytes have another digest.
 */
export async function adoptBlobs(
  blobs: Blobs,
  image: Digest,
  manifest: Uint8Array,
  read: Read,
): Promise<void> {
  if (digestOf(manifest) !== image) throw otherBytes(image);
  const value = asRecord(parseJson(Buffer.from(manifest).toString()), 'the manifest');
  const config = asRecord(value['config'], 'the configuration');
  const { layers } = readManifest(value);
  for (const blob of [config as unknown as BlobReference, ...layers])
    if (blobs.size(blob.digest) !== blob.size)
      await rereadDamaged(() => copyBlob(blobs, blob, read));
  blobs.put(manifest);
}

async function copyBlob(blobs: Blobs, blob: BlobReference, read: Read): Promise<void> {
  const { digest, size } = blob;
  const path = blobs.scratch();
  const hash = createHash('sha256');
  let received = 0;
  try {
    const file = await open(path, 'wx', 0o644);
    try {
      for await (const chunk of await read(blob)) {
        received += chunk.length;
        if (received > size) throw otherBytes(digest);
        hash.update(chunk);
        await file.appendFile(chunk);
      }
    } finally {
      await file.close();
    }
    if (received !== size || hash.digest('hex') !== hexOf(digest)) throw otherBytes(digest);
    blobs.adopt(path, digest);
  } catch (thrown) {
    await rm(path, { force: true });
    throw storeFault(thrown, path);
  }
}

function otherBytes(digest: Digest): CcpError {
  return new CcpError({
    code: 'store-corrupt',
    message: `the bytes that were read for blob ${digest} have another digest`,
    hint: 'run the command again; if that does not help, check the registry',
  });
}
