import { CcpError } from '#core';

/** `ccp nx` with options before it: without them the launcher runs Nx directly. */
export async function nx(): Promise<number> {
  throw new CcpError({
    code: 'usage',
    message: '`nx` must come before all options: every argument after it is passed to Nx',
    hint: 'use `ccp nx ARGUMENTS`',
  });
}
