import { CcpError, codeOf, messageOf } from './errors.ts';

interface Fault {
  /** Where it is the machine's. */
  readonly code?: 'machine-disk' | 'machine-rights';
  readonly why: string;
  readonly hint: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOENT: { why: 'there is no such file or folder', hint: 'look at the path' },
  ENOTDIR: { why: 'a part of its path is a file', hint: 'look at the path' },
  EISDIR: { why: 'it is a folder', hint: 'name a file' },
  ENOSPC: { code: 'machine-disk', why: 'the disk is full', hint: 'free space on that disk and run the command again' },
  EDQUOT: { code: 'machine-disk', why: 'the quota is used up', hint: 'free space on that disk and run the command again' },
  EFBIG: { code: 'machine-disk', why: 'files may not grow so large here', hint: 'raise the limit (ulimit -f) and run the command again' },
  EACCES: { code: 'machine-rights', why: 'this user may not', hint: 'give this user the right, or name another place' },
  EPERM: { code: 'machine-rights', why: 'this user may not', hint: 'give this user the right, or name another place' },
  EROFS: { code: 'machine-rights', why: 'its file system is read-only', hint: 'name another place' },
};

/** True where a full disk, a used-up quota or a limit of files' size ended a write. */
export function isDiskFault(thrown: unknown): boolean {
  return FAULTS[codeOf(thrown) ?? '']?.code === 'machine-disk';
}

/** True where this user may not do something to a file, or nobody may. */
export function isRightsFault(thrown: unknown): boolean {
  return FAULTS[codeOf(thrown) ?? '']?.code === 'machine-rights';
}

/**
 * What the system says of reading or writing the file at `path`, as an error that names it: `machine-disk`, `machine-rights`, else
 * `file-unreadable` or `file-unwritable`. `hint` goes before what is said for a file that is not there. What is no fault of the
 * system's comes back as it is.
 */
export function fileFault(thrown: unknown, doing: 'read' | 'write' | 'use', path: string, hint?: string): unknown {
  const code = codeOf(thrown);
  if (thrown instanceof CcpError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const fault: Fault = FAULTS[code] ?? { why: messageOf(thrown), hint: 'look at the path and the disk' };
  return new CcpError({
    code: fault.code ?? (doing === 'read' ? 'file-unreadable' : 'file-unwritable'),
    message: `cannot ${doing} ${path}: ${fault.why}`,
    hint: code === 'ENOENT' && hint !== undefined ? hint : fault.hint,
    cause: thrown,
  });
}

/** The error of a file that something else changes while a run reads it; `what` says what became of it. */
export function fileChanged(file: string, what = 'changed', cause?: unknown): CcpError {
  return new CcpError({
    code: 'file-changed',
    message: `${file} ${what} while it was read`,
    hint: 'wait until nothing writes to it, then run the command again',
    at: { file },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** What became of a file that was there a moment ago, by what the system says of it; EINVAL is of a link that is none, ELOOP of a file that is one. */
const BECAME: Readonly<Record<string, string>> = { ENOENT: 'vanished', ENOTDIR: 'vanished', ESTALE: 'vanished', EINVAL: 'changed', ELOOP: 'changed' };

/**
 * What the system says of reading a file, a folder or a link that was seen a moment ago and that messages name `file`: `file-changed`
 * where it is gone, else what `fileFault` says. A `file-changed` that names the file by another path is made to name it so.
 */
export function readFault(thrown: unknown, file: string): unknown {
  if (thrown instanceof CcpError) return thrown.code === 'file-changed' && thrown.at?.file !== file ? fileChanged(file, 'changed', thrown) : thrown;
  const what = BECAME[codeOf(thrown) ?? ''];
  return what === undefined ? fileFault(thrown, 'read', file) : fileChanged(file, what, thrown);
}

/** What `read` gives; raises what `readFault` says of the file that it reads. */
export function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw readFault(thrown, file);
  }
}

/** What lies where a file is wanted, as a clause after its name; `undefined` where it is one. `stat` follows no link. */
export function insteadOfFile(stat: { isFile(): boolean; isSymbolicLink(): boolean }): string | undefined {
  if (stat.isFile()) return undefined;
  return stat.isSymbolicLink() ? 'is a symbolic link' : 'is no regular file';
}
