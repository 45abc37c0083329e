// Says by its exit code whether the npm packages in a folder are complete, as the lock wants them:
// Usage: node check-modules.ts package-lock.json node_modules
//
// A complete tree gets a copy of the lock and a digest of its files. A tree that has them is
// complete if they still match. Another tree (of `npm ci` by hand) is judged by npm's own record,
// which npm writes last and itself believes only if no package's folder is newer.
import { createHash } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
}
type Packages = Readonly<Record<string, LockedPackage>>;

const [lockFile = '', tree = ''] = process.argv.slice(2);
const STAMP = '.ccp-lock.json';
const FILES = '.ccp-files';

const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
const packagesOf = (text: string): Packages =>
  (JSON.parse(text) as { readonly packages?: Packages }).packages ?? {};

/** Writes a new file, so that a copy of the tree by hard links keeps its own. */
const replace = (name: string, text: string): void => {
  writeFileSync(join(tree, `${name}.new`), text);
  renameSync(join(tree, `${name}.new`), join(tree, name));
};

/**
 * A digest of every file's path and size; caches and records in the tree's own folder are left out.
 */
function digestOfFiles(): string {
  const lines: string[] = [];
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(tree, folder), { withFileTypes: true })) {
      if (folder === '' && entry.name.startsWith('.') && entry.name !== '.bin') continue;
      const path = `${folder}${entry.name}`;
      if (entry.isDirectory()) walk(`${path}/`);
      else lines.push(`${path} ${entry.isFile() ? statSync(join(tree, path)).size : '-'}`);
    }
  };
  walk('');
  return createHash('sha256').update(lines.sort().join('\n')).digest('hex');
}

/** Temporary folders of npm for a package that it replaces, such as `.nx-Ab3dE6gH`. */
const TEMPORARY = /^\.[\w.-]+-[A-Za-z0-9_-]{8}$/;

function matchesNpmRecord(lock: string): boolean {
  const record = join(tree, '.package-lock.json');
  const installed = packagesOf(readFileSync(record, 'utf8'));
  const written = statSync(record).mtimeMs;
  const scopes = readdirSync(tree).filter((name) => name.startsWith('@'));
  const folders = ['', ...scopes].map((name) => join(tree, name));
  if (folders.some((folder) => readdirSync(folder).some((name) => TEMPORARY.test(name))))
    return false;
  return Object.entries(packagesOf(lock)).every(([path, locked]) => {
    const found = installed[path];
    if (path === '') return true;
    if (found === undefined) return locked.optional === true;
    const folder = join(tree, '..', path);
    // npm goes on without an optional package that it could not install, and keeps it in its
    // record.
    if (locked.optional === true && !existsSync(folder)) return true;
    return (
      found.version === locked.version &&
      found.integrity === locked.integrity &&
      statSync(join(folder, 'package.json')).isFile() &&
      statSync(folder).mtimeMs <= written
    );
  });
}

function isComplete(lock: string): boolean {
  const files = textOf(join(tree, FILES));
  return files !== undefined && textOf(join(tree, STAMP)) === lock
    ? files === digestOfFiles()
    : matchesNpmRecord(lock);
}

try {
  const lock = readFileSync(lockFile, 'utf8');
  if (!isComplete(lock)) process.exit(1);
  if (textOf(join(tree, STAMP)) !== lock || textOf(join(tree, FILES)) === undefined) {
    replace(FILES, digestOfFiles());
    replace(STAMP, lock);
  }
} catch {
  process.exit(1);
}
