import { CcpError, CcpErrors, messageOf, omitUndefined, placedMessage } from '#core';
import type { MachineFinding } from '../../report/doctor-text.ts';

/** The findings of a check; each error of the check itself is a failed finding. */
export async function guarded(
  check: string,
  run: () => readonly MachineFinding[] | Promise<readonly MachineFinding[]>,
): Promise<readonly MachineFinding[]> {
  try {
    return await run();
  } catch (thrown) {
    const faults = thrown instanceof CcpErrors ? thrown.findings : [thrown];
    return faults.map((fault) => {
      if (!(fault instanceof CcpError))
        return { check, outcome: 'failed', detail: messageOf(fault) };
      const { hint } = fault;
      return { check, outcome: 'failed', detail: placedMessage(fault), ...omitUndefined({ hint }) };
    });
  }
}
