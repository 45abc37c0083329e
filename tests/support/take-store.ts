import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from './ccp.ts';

/** Gives a workspace the images of the repository's store, blobs as links, and the tests they passed, so that none is built again; nothing where there is no store. */
export function takeStore(root: string): void {
  const [from, to] = [join(REPOSITORY, '.ccp'), join(root, '.ccp')];
  if (!existsSync(join(from, 'store/index.json'))) return;
  mkdirSync(join(to, 'store'), { recursive: true });
  // Names first: a run beside this one may store more, and what is named then has its blobs.
  for (const each of ['store/index.json', 'tests'].filter((path) => existsSync(join(from, path))))
    cpSync(join(from, each), join(to, each), { recursive: true });
  execFileSync('cp', ['--recursive', '--symbolic-link', join(from, 'store/blobs'), join(to, 'store')]);
}
