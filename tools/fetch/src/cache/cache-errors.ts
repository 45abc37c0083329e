import { CcpError, fileFault, isDiskFault, messageOf } from '#core';

/**
 * Converts a file system error of the cache to `cache-full`, `machine-rights` (no permission) or
 * `cache-failed`; a `CcpError` is returned unchanged. `entry` is the path of a failed read.
 */
export function cacheError(cause: unknown, folder: string, entry?: string): CcpError {
  if (cause instanceof CcpError) return cause;
  if (isDiskFault(cause)) {
    return new CcpError({
      code: 'cache-full',
      message: `no space left for the cache ${folder}`,
      hint: 'free space with "ccp cache prune", or set CCP_CACHE to a folder on a larger disk',
      cause,
    });
  }
  const fault = fileFault(cause, entry === undefined ? 'write' : 'read', entry ?? folder);
  if (fault instanceof CcpError && fault.code === 'machine-rights') {
    return new CcpError({
      code: fault.code,
      message: `the cache ${folder} cannot be used: ${fault.message}`,
      hint: 'give this user the right to write there, or set CCP_CACHE to another folder',
      cause,
    });
  }
  return new CcpError({
    code: 'cache-failed',
    message: `the cache ${folder} cannot be used: ${messageOf(cause)}`,
    hint: 'check the disk, or set CCP_CACHE to another folder',
    cause,
  });
}
