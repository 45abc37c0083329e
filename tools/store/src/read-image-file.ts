import { join } from 'node:path';
import type { TarMember, TarSource } from '#formats/tar';
import type { StoredImage } from './compare/compare-images.ts';
import { readWhole } from './compare/read-content.ts';
import { openBlobs } from './layout/blobs.ts';
import { readManifest } from './layout/oci.ts';
import { scanLayer } from './normalise/scan-layer.ts';
import { isAtOrBelow, removedPath } from './normalise/whiteouts.ts';

/**
 * The content of a regular file of an image, `path` relative to its root; undefined if the image
 * does not have it. Uses a temporary file as large as the largest unpacked layer. Throws
 * `store-corrupt` for a missing or damaged blob, and `layer-invalid`, also for a file of more than
 * 64 MiB.
 */
export async function readImageFile(
  { folder, digest }: StoredImage,
  path: string,
): Promise<Buffer | undefined> {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  const { layers } = readManifest(blobs.document(digest).json);
  for (const layer of layers.toReversed()) {
    await blobs.verify(layer.digest);
    const found = await scanLayer(blobs.path(layer.digest), (members, source) =>
      findIn(members, source, path),
    );
    if (found !== 'absent') return found;
  }
  return undefined;
}

/**
 * The file's content in one layer; undefined if the layer has no regular file there and hides the
 * file of lower layers, by a whiteout of it or of a parent, or by another kind of member there.
 */
function findIn(
  members: readonly TarMember[],
  source: TarSource,
  path: string,
): Buffer | undefined | 'absent' {
  const member = members.findLast((each) => each.path === path);
  if (member !== undefined) return member.type === 'file' ? readWhole(source, member) : undefined;
  const isHidden = members.some((each) => {
    const hidden = removedPath(each.path) ?? (each.type === 'directory' ? undefined : each.path);
    return hidden !== undefined && isAtOrBelow(path, hidden);
  });
  return isHidden ? undefined : 'absent';
}
