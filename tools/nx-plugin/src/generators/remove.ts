import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Tree } from '@nx/devkit';
import { CcpError } from '#core';
import { withText } from './with-text.ts';

export interface RemoveOptions {
  readonly name: string;
  readonly force?: boolean;
}

/**
 * Removes an image with the generator of @nx/workspace, which refuses a project that others depend
 * on. It knows only projects with a project.json, so the image gets one for this run, which is
 * never written.
 */
export default async function removeImage(
  tree: Tree,
  { name, force = false }: RemoveOptions,
): Promise<() => void> {
  const folder = `images/${name}`;
  if (name === '' || !existsSync(join(tree.root, folder, 'image.yaml')))
    withText(() => {
      throw new CcpError({
        code: 'usage',
        message: `this workspace has no image "${name}"`,
        hint: 'list the images with `ccp graph`',
      });
    });
  const { removeGenerator } = await import('@nx/workspace');
  const config = { name, root: folder, projectType: 'application', targets: {} };
  tree.write(`${folder}/project.json`, JSON.stringify(config));
  await removeGenerator(tree, { projectName: name, forceRemove: force, skipFormat: true });
  keepOthers(tree, `${folder}/`);
  // Files that git ignores stay otherwise.
  return () => rmSync(join(tree.root, folder), { recursive: true, force: true });
}

/** Undoes changes of files outside the folder: the generator only formats them. */
function keepOthers(tree: Tree, folder: string): void {
  for (const { path, type } of tree.listChanges())
    if (type === 'UPDATE' && !path.startsWith(folder))
      tree.write(path, readFileSync(join(tree.root, path)));
}
