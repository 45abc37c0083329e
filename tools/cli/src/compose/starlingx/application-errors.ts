import { CcpError, throwFindings } from '#core';
import type { ApplicationFinding } from '#site';

/** Throws the errors of a check of a tarball as `application-invalid`, all together. */
export function throwApplicationErrors(
  file: string,
  findings: readonly ApplicationFinding[],
): void {
  throwFindings(
    findings
      .filter(({ level }) => level === 'error')
      .map(
        ({ path, message, hint }) =>
          new CcpError({
            code: 'application-invalid',
            message,
            hint,
            at: { file: path === '' ? file : `${file}#${path}` },
          }),
      ),
  );
}
