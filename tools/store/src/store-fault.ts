import { CcpError, fileFault, isDiskFault, isRightsFault, messageOf } from '#core';

/**
 * Converts a failed write to `path`: to `store-full` if the disk, a quota or a file size limit is
 * exhausted, to `machine-rights` if this user has no write permission. Returns other errors
 * unchanged.
 */
export function storeFault(thrown: unknown, path: string): unknown {
  if (isRightsFault(thrown)) {
    return new CcpError({
      code: 'machine-rights',
      message: messageOf(fileFault(thrown, 'write', path)),
      hint: 'give this user write permission there, or work in a separate clone',
      cause: thrown,
    });
  }
  if (!isDiskFault(thrown)) return thrown;
  return new CcpError({
    code: 'store-full',
    message: `no space left for the image store at ${path}: ${messageOf(thrown)}`,
    hint: 'free disk space or delete old images with `ccp clean`, then run the command again; incomplete files were removed',
    cause: thrown,
  });
}
