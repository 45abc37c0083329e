import { dirname, relative } from 'node:path';
import type { ImageDefinition } from '#definitions';

/** How messages name the file at `path`, an absolute one: relative to the workspace of the run. */
export function fileName({ folder, layers }: Pick<ImageDefinition, 'folder' | 'layers'>, path: string): string {
  return relative(layers?.root ?? dirname(dirname(folder)), path);
}
