import { CcpError, messageOf } from '#core';
import type { Finding } from '../../report/doctor-text.ts';

/** The findings of a check; an error of the check itself is a failed finding. */
export async function guarded(
  check: string,
  run: () => readonly Finding[] | Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await run();
  } catch (thrown) {
    const hint = thrown instanceof CcpError ? thrown.hint : undefined;
    const detail = messageOf(thrown);
    return [{ check, outcome: 'failed', detail, ...(hint === undefined ? {} : { hint }) }];
  }
}
