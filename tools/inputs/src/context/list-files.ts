import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { CcpError, codeOf, shownPath, throwFindings } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Memo } from '#ports';
import type { FileRecord } from '../types.ts';
import { workspaceOf } from '../templates/template-files.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * What lies in the image's `files` folder, by path below that folder, in code-unit order; folders that hold no file are left out,
 * as git has none. Nothing is ignored. Raises `context-invalid` for a link that leaves the folder, for what is neither file,
 * folder nor link, and for names that are not UTF-8 or hold control characters; `file-changed` where one vanishes meanwhile.
 */
export function listFiles(definition: ImageDefinition, memo: Pick<Memo, 'fileSha256'>): FileRecord[] {
  return listFolder(join(definition.folder, 'files'), workspaceOf(definition), memo);
}

/** As `listFiles`, of any folder; messages name files relative to `repository`, and what `skip` says of a name in it is left out. */
export function listFolder(root: string, repository: string, memo: Pick<Memo, 'fileSha256'>, skip: (name: string) => boolean = () => false): FileRecord[] {
  const stat = lstatSync(root, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const findings: CcpError[] = [];
  const refuse = (path: string, message: string, hint: string): void => {
    const file = shownPath(relative(repository, path));
    findings.push(new CcpError({ code: 'context-invalid', message: `${file} ${message}`, hint, at: { file } }));
  };
  if (!stat.isDirectory()) refuse(root, 'is not a folder', 'make it one, or remove it');
  const records = stat.isDirectory() ? walk(root, '', { memo, refuse, skip }) : [];
  throwFindings(findings);
  return records.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Walk {
  readonly memo: Pick<Memo, 'fileSha256'>;
  readonly refuse: (path: string, message: string, hint: string) => void;
  readonly skip: (name: string) => boolean;
}

function walk(folder: string, below: string, rules: Walk): FileRecord[] {
  const { memo, refuse, skip } = rules;
  const records: FileRecord[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (skip(entry.name)) continue;
    const full = `${folder}/${entry.name}`;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name.includes('\ufffd') || CONTROL.test(entry.name)) {
      refuse(full, 'has a name that is not UTF-8 or holds a control character', 'rename it');
    } else if (entry.isDirectory()) {
      const inside = walk(full, path, rules);
      if (inside.length > 0) records.push({ path, type: 'directory' }, ...inside);
    } else if (entry.isSymbolicLink()) {
      const target = vanishing(full, () => readlinkSync(full));
      if (leaves(path, target)) refuse(full, `is a link to ${JSON.stringify(target)}, outside of the files folder`, 'copy the file, or make the link in a RUN step');
      records.push({ path, type: 'symlink', target });
    } else if (entry.isFile()) {
      const record = vanishing(full, () => {
        const stat = lstatSync(full);
        return { executable: (stat.mode & 0o100) !== 0, sha256: memo.fileSha256(full, stat) };
      });
      records.push({ path, type: 'file', ...record });
    } else refuse(full, 'is neither a file, a folder nor a link', 'remove it');
  }
  return records;
}

/** True where a link at `path` points above the folder that paths are relative to. */
function leaves(path: string, target: string): boolean {
  if (target.startsWith('/') || CONTROL.test(target)) return true;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return resolved === '..' || resolved.startsWith('../');
}

function vanishing<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    throw new CcpError({ code: 'file-changed', message: `${file} vanished while it was read`, hint: 'wait until nothing writes there, then run the command again', at: { file }, cause });
  }
}
