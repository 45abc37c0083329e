import { CcpError } from '#core';

/** `ccp nx`, where the launcher did not take it: it runs Nx itself, without this program. */
export async function nx(): Promise<number> {
  throw new CcpError({ code: 'usage', message: 'nx goes before every option: what follows it is for Nx', hint: 'ccp nx ARGUMENTS' });
}
