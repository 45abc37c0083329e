import type { Tree } from '@nx/devkit';
import { withText } from './with-text.ts';

export interface MoveOptions {
  readonly name: string;
  readonly newName: string;
}

/**
 * Renames an image: its folder, its locks, and the parents and app specs that name it. The
 * generator of @nx/workspace cannot do it: it knows only projects with a project.json, and writes
 * files without their modes and links.
 */
export default async function moveImage(
  tree: Tree,
  { name, newName }: MoveOptions,
): Promise<() => void> {
  const cli = await import('#cli');
  const edits = withText(() => cli.renameEdits(tree.root, name, newName));
  for (const [file, text] of edits) tree.write(file, text);
  process.stdout.write(`RENAME images/${name} -> images/${newName}\n`);
  return () => {
    withText(() => cli.moveImage(tree.root, name, newName));
    process.stdout.write(
      '\nNext:\n  ./ccp lock --check --series all\n  rename it in documents and scripts\n',
    );
  };
}
