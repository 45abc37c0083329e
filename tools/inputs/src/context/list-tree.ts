import { lstatSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { CcpError, reading } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Memo } from '#ports';
import { workspaceOf } from '../templates/template-files.ts';
import type { FileRecord } from '../types.ts';
import { listFolder } from './list-files.ts';

/** What only tests use and what only people read, whatever folder it is in. */
const LEFT_OUT = /^(?:testing|testing\.ts|golden|node_modules|.*\.test\.ts|.*\.md)$|^\./;

/** What no lock and no commit holds still: packages of others, and the state of git, Nx and this tool. */
const UNLOCKED = new Set(['.git', '.ccp', '.nx', 'node_modules']);

/** The repository that holds the definition. */
export function repositoryOf({ folder }: ImageDefinition): string {
  return dirname(dirname(folder));
}

/**
 * What the definition's `tree` names of the repository, by path below it, in code-unit order and without what only tests use or
 * people read. Raises what `listFiles` raises, and `context-invalid` for a path that is not there.
 */
export function listTree(definition: ImageDefinition, memo: Pick<Memo, 'fileSha256'>): FileRecord[] {
  const { tree = [], positions } = definition;
  const repository = repositoryOf(definition);
  const records = new Map<string, FileRecord>();
  for (const path of tree) {
    if (path.split('/').some((part) => UNLOCKED.has(part)))
      throw new CcpError({
        code: 'context-invalid',
        message: `tree names ${path}, which is no part of what the repository holds`,
        hint: 'name files that are committed',
        at: positions.definition,
      });
    const full = join(repository, path);
    const stat = reading(path, () => lstatSync(full, { throwIfNoEntry: false }));
    if (stat?.isFile() === true)
      records.set(path, { path, type: 'file', executable: (stat.mode & 0o100) !== 0, sha256: reading(path, () => memo.fileSha256(full, stat)) });
    else if (stat?.isDirectory() === true) {
      records.set(path, { path, type: 'directory' });
      for (const record of listFolder(full, workspaceOf(definition), memo, (name) => LEFT_OUT.test(name)))
        records.set(`${path}/${record.path}`, { ...record, path: `${path}/${record.path}` });
    } else
      throw new CcpError({
        code: 'context-invalid',
        message: `tree names ${path}, which is neither a file nor a folder of the repository`,
        hint: 'name what is there',
        at: positions.definition,
      });
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above)) records.set(above, { path: above, type: 'directory' });
  }
  return [...records.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
