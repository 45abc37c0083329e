import { dirname, relative } from 'node:path';
import type { ImageDefinition } from '#definitions';

/** The file's name in messages: the absolute `path` relative to the workspace. */
export function fileName(
  { folder, layers }: Pick<ImageDefinition, 'folder' | 'layers'>,
  path: string,
): string {
  return relative(layers?.root ?? dirname(dirname(folder)), path);
}
