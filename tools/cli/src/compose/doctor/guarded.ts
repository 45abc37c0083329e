import { CcpError } from '#core';
import type { Finding } from '../../report/doctor-text.ts';

/** The findings of a check; an error of the check itself is a failed finding. */
export async function guarded(
  check: string,
  run: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    const { message, hint } = thrown;
    return [{ check, outcome: 'failed', detail: message, ...(hint === undefined ? {} : { hint }) }];
  }
}
