import { accessSync, constants } from 'node:fs';
import { CcpError, fileFault, isRightsFault } from '#core';

/** Raises `machine-rights` where this user may not write in a folder, or nobody may, before a command leaves half of its work there; `hint` says what to do. */
export function requireWritable(folder: string, hint: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (cause) {
    const fault = fileFault(cause, 'write', folder);
    throw isRightsFault(cause) && fault instanceof CcpError ? new CcpError({ code: fault.code, message: fault.message, hint, cause }) : fault;
  }
}
