import { CcpError, codeOf, messageOf } from './errors.ts';
import { omitUndefined } from './omit-undefined.ts';

interface Fault {
  /** Set for faults of the machine. */
  readonly code?: 'machine-disk' | 'machine-rights';
  readonly why: string;
  readonly hint: string;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  ENOENT: { why: 'no such file or folder', hint: 'check the path' },
  ENOTDIR: { why: 'a part of its path is a file', hint: 'check the path' },
  EISDIR: { why: 'it is a folder', hint: 'name a file' },
  ENOSPC: {
    code: 'machine-disk',
    why: 'the disk is full',
    hint: 'free space on that disk and run the command again',
  },
  EDQUOT: {
    code: 'machine-disk',
    why: 'the quota is used up',
    hint: 'free space on that disk and run the command again',
  },
  EFBIG: {
    code: 'machine-disk',
    why: 'the file is too large for the limit of this user',
    hint: 'raise the limit (ulimit -f) and run the command again',
  },
  EACCES: {
    code: 'machine-rights',
    why: 'permission denied',
    hint: 'grant this user access, or choose another path',
  },
  EPERM: {
    code: 'machine-rights',
    why: 'permission denied',
    hint: 'grant this user access, or choose another path',
  },
  EROFS: {
    code: 'machine-rights',
    why: 'its file system is read-only',
    hint: 'choose another path',
  },
};

/** True if a write failed because of a full disk, a quota or a file size limit. */
export function isDiskFault(thrown: unknown): boolean {
  return FAULTS[codeOf(thrown) ?? '']?.code === 'machine-disk';
}

/** True if this user has no permission, or if the file system is read-only. */
export function isRightsFault(thrown: unknown): boolean {
  return FAULTS[codeOf(thrown) ?? '']?.code === 'machine-rights';
}

/**
 * Converts a system error of reading or writing the file `path` to `machine-disk`,
 * `machine-rights`, `file-unreadable` or `file-unwritable`. `hint` replaces the default hint for a
 * missing file. Other errors are returned unchanged.
 */
export function fileFault(
  thrown: unknown,
  doing: 'read' | 'write' | 'use',
  path: string,
  hint?: string,
): unknown {
  const code = codeOf(thrown);
  if (thrown instanceof CcpError || code === undefined || !/^E[A-Z0-9]+$/.test(code)) return thrown;
  const fault: Fault = FAULTS[code] ?? {
    why: messageOf(thrown),
    hint: 'check the path and the disk',
  };
  return new CcpError({
    code: fault.code ?? (doing === 'read' ? 'file-unreadable' : 'file-unwritable'),
    message: `cannot ${doing} ${path}: ${fault.why}`,
    hint: code === 'ENOENT' && hint !== undefined ? hint : fault.hint,
    cause: thrown,
  });
}

/**
 * The error for a file that another process changes during a run; `what` is the verb of its
 * message.
 */
export function fileChanged(file: string, what = 'changed', cause?: unknown): CcpError {
  return new CcpError({
    code: 'file-changed',
    message: `${file} ${what} while it was read`,
    hint: 'wait until nothing writes to it, then run the command again',
    at: { file },
    ...omitUndefined({ cause }),
  });
}

/**
 * Changes of a file that existed a moment ago, by system error. EINVAL: it is no longer a link.
 * ELOOP: it has become one.
 */
const BECAME: Readonly<Record<string, string>> = {
  ENOENT: 'vanished',
  ENOTDIR: 'vanished',
  ESTALE: 'vanished',
  EINVAL: 'changed',
  ELOOP: 'changed',
};

/**
 * Converts a system error of reading a file, folder or link that existed a moment ago and that
 * messages call `file`: `file-changed` if it has disappeared, else the error of `fileFault`. A
 * `file-changed` for another path gets this name.
 */
export function readFault(thrown: unknown, file: string): unknown {
  if (thrown instanceof CcpError)
    return thrown.code === 'file-changed' && thrown.at?.file !== file
      ? fileChanged(file, 'changed', thrown)
      : thrown;
  const what = BECAME[codeOf(thrown) ?? ''];
  return what === undefined ? fileFault(thrown, 'read', file) : fileChanged(file, what, thrown);
}

/** Returns the result of `read`, and converts its errors with `readFault`. */
export function reading<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    throw readFault(thrown, file);
  }
}

/**
 * Describes a path that is not a regular file, as a clause after its name; `undefined` for a
 * regular file. `stat` must not follow links.
 */
export function describeNonFile(stat: {
  isFile(): boolean;
  isSymbolicLink(): boolean;
}): string | undefined {
  if (stat.isFile()) return undefined;
  return stat.isSymbolicLink() ? 'is a symbolic link' : 'is not a regular file';
}
