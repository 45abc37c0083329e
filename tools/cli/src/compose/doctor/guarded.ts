import { CcpError, messageOf, omitUndefined } from '#core';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** The findings of a check; an error of the check itself is a failed finding. */
export async function guarded(
  check: string,
  run: () => readonly MachineFinding[] | Promise<readonly MachineFinding[]>,
): Promise<readonly MachineFinding[]> {
  try {
    return await run();
  } catch (thrown) {
    const hint = thrown instanceof CcpError ? thrown.hint : undefined;
    const detail = messageOf(thrown);
    return [{ check, outcome: 'failed', detail, ...omitUndefined({ hint }) }];
  }
}
