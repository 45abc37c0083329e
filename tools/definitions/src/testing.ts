import { CcpErrors, placedMessage, type CcpError } from '#core';

/** Texts of all findings that `run` raises; errors other than `CcpError` are rethrown. */
export function errorsOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown as CcpError];
    return findings.map(toText).join('\n');
  }
  return 'nothing raised';
}

function toText(finding: CcpError): string {
  const { code, hint } = finding;
  if (code === undefined) throw finding;
  return `${placedMessage(finding)}${hint === undefined ? '' : ` [${hint}]`}`;
}
