import { CcpErrors, formatPosition, type CcpError } from '#core';

/** Every finding that `run` raises, as a person reads them; anything but a `CcpError` goes through. */
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
  const { at, code, message, hint } = finding;
  if (code === undefined) throw finding;
  return `${at === undefined ? '' : `${formatPosition(at)}: `}${message}${hint === undefined ? '' : ` [${hint}]`}`;
}
