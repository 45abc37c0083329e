import { accessSync, constants } from 'node:fs';
import { CcpError, fileFault, isRightsFault } from '#core';

/**
 * Throws `machine-rights` if this user cannot write to a folder, so that a command does not stop
 * halfway; `hint` is the hint of the error.
 */
export function requireWritable(folder: string, hint: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const fault = fileFault(cause, 'write', folder);
    throw isRightsFault(cause) && fault instanceof CcpError
      ? new CcpError({ code: fault.code, message: fault.message, hint, cause })
      : fault;
  }
}
