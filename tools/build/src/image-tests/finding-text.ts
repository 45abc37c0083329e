import type { CheckName, Finding } from './types.ts';

/** Maximum number of names in a finding. */
export const MAX_NAMES = 5;
/** Maximum number of output lines in a finding, and their maximum length. */
const PRINTED = 6;
const LINE_LENGTH = 200;

/**
 * `its last output is "…"`. Several lines are listed below one another, since the last line is
 * often not the cause.
 */
export function lastPrinted(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-PRINTED);
  const cut = (line: string): string =>
    line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line;
  if (lines.length > 1)
    return `its last output is:\n${lines.map((line) => `    ${cut(line)}`).join('\n')}`;
  if (lines[0] === undefined) return 'it printed nothing';
  return `its last output is ${JSON.stringify(cut(lines[0]))}`;
}

/** The finding about a container that exited before its last record. */
export function cutOff(
  check: CheckName,
  what: string,
  { exitCode, stderr }: { readonly exitCode: number; readonly stderr: string },
): Finding {
  return {
    check,
    message: `the container of the ${what} exited early with code ${exitCode}; ${lastPrinted(stderr)}`,
  };
}
