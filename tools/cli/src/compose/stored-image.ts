import { resolve } from 'node:path';
import { CcpError, isDigest } from '#core';
import type { StoredImage } from '#store';
import type { CommandContext } from '../command.ts';
import { builtImage } from './built-image.ts';
import { openProject } from './plan.ts';

/**
 * The image of a reference: `IMAGE` (the current build), `IMAGE@DIGEST` or `DIGEST` in the store,
 * or `oci:FOLDER@DIGEST` in another OCI layout. Throws `usage` for other texts, and the errors of
 * `builtImage`.
 */
export async function storedImage(
  context: Pick<CommandContext, 'root' | 'flags'>,
  reference: string,
): Promise<StoredImage> {
  const cut = reference.lastIndexOf('@');
  const digest = reference.slice(cut + 1);
  const name = cut === -1 ? '' : reference.slice(0, cut);
  if (isDigest(digest)) {
    const folder = name.startsWith('oci:')
      ? resolve(context.root, name.slice('oci:'.length))
      : openProject(context.root, context.flags.series).paths.store;
    return { folder, digest };
  }
  if (cut !== -1 || reference.includes(':') || reference.includes('/'))
    throw new CcpError({
      code: 'usage',
      message: `${reference} is not an image, a digest or a layout with a digest`,
      hint: 'write IMAGE, IMAGE@sha256:DIGEST, sha256:DIGEST or oci:FOLDER@sha256:DIGEST',
    });
  const { project, planned } = await builtImage(context, reference);
  return { folder: project.paths.store, digest: planned.digest };
}
