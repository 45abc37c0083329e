import { lstatSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { CcpError, reading } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Memo } from '#ports';
import { workspaceFolderOf } from '../templates/template-files.ts';
import type { FileRecord } from '../types.ts';
import { fileBudget } from './file-budget.ts';
import { listFolder } from './list-files.ts';

/** Files only for tests or documentation, in any folder. */
const LEFT_OUT = /^(?:testing|testing\.ts|golden|node_modules|.*\.test\.ts|.*\.md)$|^\./;

/**
 * Folders that neither locks nor commits fix: third-party packages and the state of git, Nx and
 * ccp.
 */
const UNLOCKED = new Set(['.git', '.ccp', '.nx', 'node_modules']);

/** The repository that contains the definition. */
export function gitRepositoryOf({ folder }: ImageDefinition): string {
  return dirname(dirname(folder));
}

/**
 * The repository files that the definition's `tree` selects, in code-unit order, without tests and
 * documentation. Raises what `listFiles` raises, and `context-invalid` for a missing path.
 */
export function listTree(
  definition: ImageDefinition,
  memo: Pick<Memo, 'fileSha256'>,
): FileRecord[] {
  const { tree = [], positions } = definition;
  const repository = gitRepositoryOf(definition);
  const records = new Map<string, FileRecord>();
  for (const path of tree) {
    if (path.split('/').some((part) => UNLOCKED.has(part)))
      throw new CcpError({
        code: 'context-invalid',
        message: `tree lists ${path}, which is not part of the repository`,
        hint: 'list only committed files',
        at: positions.definition,
      });
    const full = join(repository, path);
    const stat = reading(path, () => lstatSync(full, { throwIfNoEntry: false }));
    if (stat?.isFile() === true) {
      fileBudget(path, (name) => name).countFile(path, stat.size);
      records.set(path, {
        path,
        type: 'file',
        executable: (stat.mode & 0o100) !== 0,
        sha256: reading(path, () => memo.fileSha256(full, stat)),
      });
    } else if (stat?.isDirectory() === true) {
      records.set(path, { path, type: 'directory' });
      const skip = (name: string): boolean => LEFT_OUT.test(name);
      for (const record of listFolder(full, workspaceFolderOf(definition), memo, { skip }))
        records.set(`${path}/${record.path}`, { ...record, path: `${path}/${record.path}` });
    } else
      throw new CcpError({
        code: 'context-invalid',
        message: `tree lists ${path}, which is neither a file nor a folder of the repository`,
        hint: 'fix or remove this entry of "tree": an entry is the path of a file or folder in the repository',
        at: positions.definition,
      });
    for (let above = posix.dirname(path); above !== '.'; above = posix.dirname(above))
      records.set(above, { path: above, type: 'directory' });
  }
  return [...records.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
