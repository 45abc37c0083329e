import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { CcpError, fileChanged, readFault, shownPath, throwFindings } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Memo } from '#ports';
import type { FileRecord } from '../types.ts';
import { workspaceFolderOf } from '../templates/template-files.ts';
import { fileBudget, type FileBudget, type FileLimits } from './file-budget.ts';

const CONTROL = /[\u0000-\u001f\u007f]/;
/** Replacement character for bytes that are not UTF-8; it can also occur in valid names. */
const UNDECODED = '\ufffd';

/**
 * The content of the image's `files` folder with relative paths in code-unit order. Folders without
 * files are left out, as in git; nothing else is ignored. Raises `context-invalid` for links out of
 * the folder, special files, `.git`, names that are not UTF-8 or contain control characters, and
 * files over `FILE_LIMITS`; and the errors of `readFault`.
 */
export function listFiles(
  definition: ImageDefinition,
  memo: Pick<Memo, 'fileSha256'>,
): FileRecord[] {
  return listFolder(join(definition.folder, 'files'), workspaceFolderOf(definition), memo);
}

/** Options of `listFolder`; names for which `skip` is true are left out. */
interface ListOptions {
  readonly skip?: (name: string) => boolean;
  readonly limits?: FileLimits;
}

/** Like `listFiles` for any folder. Messages name files relative to `repository`. */
export function listFolder(
  root: string,
  repository: string,
  memo: Pick<Memo, 'fileSha256'>,
  { skip = () => false, limits }: ListOptions = {},
): FileRecord[] {
  const stat = lstatSync(root, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  const findings: CcpError[] = [];
  const nameOf = (path: string): string => shownPath(relative(repository, path));
  const refuse = (path: string, message: string, hint: string): void => {
    const file = nameOf(path);
    findings.push(
      new CcpError({ code: 'context-invalid', message: `${file} ${message}`, hint, at: { file } }),
    );
  };
  if (!stat.isDirectory())
    refuse(root, 'is not a folder', 'replace it with a folder, or remove it');
  const records = stat.isDirectory()
    ? walk(root, '', { memo, refuse, nameOf, skip, budget: fileBudget(root, nameOf, limits) })
    : [];
  throwFindings(findings);
  return records.sort((a, b) => (a.path < b.path ? -1 : 1));
}

interface Walk {
  readonly memo: Pick<Memo, 'fileSha256'>;
  readonly refuse: (path: string, message: string, hint: string) => void;
  /** Name of a path for messages. */
  readonly nameOf: (path: string) => string;
  readonly skip: (name: string) => boolean;
  readonly budget: FileBudget;
}

function walk(folder: string, below: string, rules: Walk): FileRecord[] {
  const { memo, refuse, skip, budget } = rules;
  const seen = <T>(path: string, read: () => T): T => {
    try {
      return read();
    } catch (thrown) {
      throw readFault(thrown, rules.nameOf(path));
    }
  };
  let known: ReadonlySet<string> | undefined;
  const isUtf8Name = (name: string): boolean =>
    (known ??= seen(folder, () => utf8Names(folder))).has(name);
  const records: FileRecord[] = [];
  for (const entry of seen(folder, () => readdirSync(folder, { withFileTypes: true }))) {
    if (skip(entry.name)) continue;
    if (entry.name === '.git') {
      refuse(
        `${folder}/.git`,
        'belongs to a git repository, and no clone of this one has it',
        'remove it and commit the files themselves, or add the repository as a source of the image',
      );
      continue;
    }
    budget.countEntry();
    const full = `${folder}/${entry.name}`;
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (CONTROL.test(entry.name) || (entry.name.includes(UNDECODED) && !isUtf8Name(entry.name))) {
      refuse(full, 'has a name that is not UTF-8 or contains a control character', 'rename it');
    } else if (entry.isDirectory()) {
      const inside = walk(full, path, rules);
      if (inside.length > 0) records.push({ path, type: 'directory' }, ...inside);
    } else if (entry.isSymbolicLink()) {
      const bytes = seen(full, () => readlinkSync(full, 'buffer'));
      const target = bytes.toString();
      if (!isUtf8(bytes))
        refuse(
          full,
          `is a link to ${JSON.stringify(target)}, which is not UTF-8`,
          'rename the target of the link',
        );
      else if (leaves(path, target))
        refuse(
          full,
          `is a link to ${JSON.stringify(target)}, outside the files folder`,
          'copy the file, or create the link in a RUN step',
        );
      records.push({ path, type: 'symlink', target });
    } else if (entry.isFile()) {
      const record = seen(full, () => {
        const stat = lstatSync(full);
        if (!stat.isFile()) throw fileChanged(rules.nameOf(full));
        budget.countFile(full, stat.size);
        return { executable: (stat.mode & 0o100) !== 0, sha256: memo.fileSha256(full, stat) };
      });
      records.push({ path, type: 'file', ...record });
    } else refuse(full, 'is neither a file, a folder nor a link', 'remove it');
  }
  return records;
}

/** Names in UTF-8; a name in other bytes can look like one that really contains U+FFFD. */
function utf8Names(folder: string): ReadonlySet<string> {
  const names = readdirSync(folder, { encoding: 'buffer' });
  const others = new Set(names.filter((bytes) => !isUtf8(bytes)).map(String));
  return new Set(names.map(String).filter((name) => !others.has(name)));
}

/** True if the link at `path` points out of the folder that paths are relative to. */
function leaves(path: string, target: string): boolean {
  if (target.startsWith('/') || CONTROL.test(target)) return true;
  const resolved = posix.normalize(posix.join(posix.dirname(path), target));
  return resolved === '..' || resolved.startsWith('../');
}
