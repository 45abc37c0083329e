import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './ccp.ts';

/**
 * Links the images of the repository's store into a workspace, with the results of their tests, so
 * that they are not built again. Does nothing without a store.
 */
export function linkStore(root: string): void {
  const [from, to] = [join(REPOSITORY, '.ccp'), join(root, '.ccp')];
  if (!existsSync(join(from, 'store/index.json'))) return;
  mkdirSync(join(to, 'store'), { recursive: true });
  // Names first: a parallel run may add images, and the blobs of these names already exist.
  for (const each of ['store/index.json', 'tests'].filter((path) => existsSync(join(from, path))))
    cpSync(join(from, each), join(to, each), { recursive: true });
  execFileSync('cp', [
    '--recursive',
    '--symbolic-link',
    join(from, 'store/blobs'),
    join(to, 'store'),
  ]);
}
