import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { scanTar } from '#formats/tar';
import type { StoredImage } from './compare/compare-images.ts';
import { readContent } from './compare/read-content.ts';
import { openBlobs } from './layout/blobs.ts';
import { readManifest } from './layout/oci.ts';
import { fileSource, unpackLayer } from './normalise/unpack-layer.ts';

/** Unpacked layers of more bytes are refused. */
const LIMIT = 64 * 2 ** 30;

/**
 * The content of a regular file of an image, `path` relative to its root; undefined if the image
 * does not have it. Uses a temporary file as large as the largest unpacked layer. Throws
 * `store-corrupt` for a missing or damaged blob, and `layer-invalid`.
 */
export async function readImageFile(
  { folder, digest }: StoredImage,
  path: string,
): Promise<Buffer | undefined> {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  const { layers } = readManifest(blobs.document(digest).json);
  const scratch = await mkdtemp(join(tmpdir(), 'ccp-image-file-'));
  try {
    for (const layer of layers.toReversed()) {
      await blobs.verify(layer.digest);
      const found = await findIn(blobs.path(layer.digest), join(scratch, 'layer'), path);
      if (found !== 'absent') return found;
    }
    return undefined;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The file's content in one layer; undefined if the layer removes or replaces it. */
async function findIn(
  layer: string,
  unpacked: string,
  path: string,
): Promise<Buffer | undefined | 'absent'> {
  const spool: FileHandle = await open(unpacked, 'w+');
  try {
    await unpackLayer(layer, spool, LIMIT);
    const source = fileSource(spool.fd);
    const removed = posix.join(posix.dirname(path), `.wh.${posix.basename(path)}`);
    let found: Buffer | undefined | 'absent' = 'absent';
    for (const member of scanTar(source)) {
      if (member.path === path)
        found = member.type === 'file' ? readContent(source, member, 0, member.size) : undefined;
      else if (member.path === removed) found = undefined;
    }
    return found;
  } finally {
    await spool.close();
  }
}
