import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError, sha256, type Sha256 } from '#core';
import type { Repository } from './repository.ts';

/** Bytes of files that one git process prints. */
const BATCH_BYTES = 64 << 20;
/** Parts of paths that lead out of the folder, into a repository, or into ccp's own state. */
const REFUSED = new Set(['..', '.git', '.ccp']);

interface Entry {
  readonly mode: string;
  readonly id: string;
  readonly size: number;
  readonly path: string;
}

/**
 * Writes the files of a commit below `folder`, the repository's folder or the workspace's only,
 * with the bytes that git stores: no filter or line ending applies. Returns the SHA-256 of each
 * file by path.
 */
export function writeTree(
  repository: Repository,
  commit: string,
  within: string,
  folder: string,
): ReadonlyMap<string, Sha256> {
  const entries = listTree(repository, commit, within);
  const hashes = new Map<string, Sha256>();
  const made = new Set<string>();
  const write = (path: string, how: (file: string) => void): void => {
    const file = join(folder, path);
    if (!made.has(dirname(file))) mkdirSync(dirname(file), { recursive: true });
    made.add(dirname(file));
    how(file);
  };
  const files = entries.filter(({ mode }) => mode.startsWith('100'));
  for (const { entry, bytes } of readBlobs(repository, files)) {
    write(entry.path, (file) => {
      writeFileSync(file, bytes);
      if (entry.mode === '100755') chmodSync(file, 0o755);
      hashes.set(file, sha256(bytes));
    });
  }
  for (const { path } of entries.filter(({ mode }) => mode === '160000'))
    write(join(path, '.'), (file) => mkdirSync(file, { recursive: true }));
  // Links last: no file is written through one.
  const links = entries.filter(({ mode }) => mode === '120000');
  for (const { entry, bytes } of readBlobs(repository, links))
    write(entry.path, (file) => symlinkSync(bytes, file));
  return hashes;
}

function listTree({ git }: Repository, commit: string, within: string): readonly Entry[] {
  const text = git([
    'ls-tree',
    '-r',
    '-l',
    '-z',
    '--full-tree',
    commit,
    ...(within === '' ? [] : ['--', `${within}/`]),
  ]).toString();
  return text
    .split('\0')
    .slice(0, -1)
    .map((line) => {
      const tab = line.indexOf('\t');
      const [mode = '', , id = '', size = ''] = line.slice(0, tab).split(/ +/);
      const path = line.slice(tab + 1);
      if (path.split('/').some((part) => REFUSED.has(part)))
        throw new CcpError({
          code: 'machine-git',
          message: `commit ${commit} has the path ${path}`,
        });
      return { mode, id, size: Number(size) || 0, path };
    });
}

function* readBlobs(
  { git }: Repository,
  entries: readonly Entry[],
): Generator<{ readonly entry: Entry; readonly bytes: Buffer }> {
  for (const batch of batchesOf(entries)) {
    const output = git(['cat-file', '--batch=%(objectsize)'], {
      input: batch.map(({ id }) => `${id}\n`).join(''),
      maxBytes: batch.reduce((sum, { size }) => sum + size + 64, 1024),
    });
    let at = 0;
    for (const entry of batch) {
      const start = output.indexOf(10, at) + 1;
      const end = start + Number(output.toString('latin1', at, start - 1));
      if (Number.isNaN(end))
        throw new CcpError({
          code: 'machine-git',
          message: `the repository has no blob ${entry.id} of ${entry.path}`,
          hint: 'run git fsck, or fetch the missing objects',
        });
      yield { entry, bytes: output.subarray(start, end) };
      at = end + 1;
    }
  }
}

function batchesOf(entries: readonly Entry[]): readonly (readonly Entry[])[] {
  const batches: Entry[][] = [];
  let bytes = Infinity;
  for (const entry of entries) {
    if (bytes + entry.size > BATCH_BYTES) {
      batches.push([]);
      bytes = 0;
    }
    bytes += entry.size;
    batches.at(-1)!.push(entry);
  }
  return batches;
}
