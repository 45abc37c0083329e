import { CcpError, fileFault, isDiskFault, isRightsFault, messageOf } from '#core';

/**
 * `thrown` as `store-full` where the disk, a quota or a file size limit ended a write to `path`, as `machine-rights` where this user may
 * not write there; else `thrown` itself.
 */
export function storeFault(thrown: unknown, path: string): unknown {
  if (isRightsFault(thrown)) {
    return new CcpError({
      code: 'machine-rights',
      message: messageOf(fileFault(thrown, 'write', path)),
      hint: 'give this user the right to write there, or work in a clone of its own',
      cause: thrown,
    });
  }
  if (!isDiskFault(thrown)) return thrown;
  return new CcpError({
    code: 'store-full',
    message: `no space left for the image store at ${path}: ${messageOf(thrown)}`,
    hint: 'free disk space, or drop old images with `ccp clean`, and run the command again; nothing half-written was kept',
    cause: thrown,
  });
}
