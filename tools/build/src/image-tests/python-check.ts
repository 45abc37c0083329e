import { shortList } from '#core';
import { repeatedText } from './command-check.ts';
import { MAX_NAMES, lastPrinted } from './finding-text.ts';
import type { CommandResult } from './probe-records.ts';
import type { Finding, ImageExpectations } from './types.ts';

/** Findings of probe.py; `result` is undefined if the container exited before it. */
export function pythonFindings(
  result: CommandResult | undefined,
  { importExceptions }: Pick<ImageExpectations, 'importExceptions'>,
): readonly Finding[] {
  const records = (result?.output ?? '').split('\n').map(recordOf);
  const findings: Finding[] = [];
  const missing = new Map<string, string[]>();
  for (const { failed, error, project, requires, has, unchecked } of records) {
    if (typeof failed === 'string' && importExceptions[failed] === undefined) {
      const text = String(error);
      missing.set(text, [...(missing.get(text) ?? []), failed]);
    }
    if (typeof requires === 'string') {
      findings.push({
        check: 'requirements',
        message: `${String(project)} requires ${requires}, but ${typeof has === 'string' ? `the image has ${has}` : 'it is not installed'}`,
      });
    }
    if (typeof unchecked === 'string')
      findings.push({
        check: 'requirements',
        message: `requirements cannot be checked: ${unchecked}`,
      });
  }
  for (const [error, modules] of missing)
    findings.push({
      check: 'imports',
      message: `cannot import ${shortList(modules, MAX_NAMES)}: ${error}`,
    });
  if (!records.some(({ end }) => end === true))
    findings.push({ check: 'imports', message: incompleteText(result, records) });
  return findings;
}

function incompleteText(
  result: CommandResult | undefined,
  records: readonly ProbeRecord[],
): string {
  const at = records.map(({ importing }) => importing).findLast((name) => typeof name === 'string');
  const where = at === undefined ? '' : ` while importing ${at}`;
  if (result === undefined) return 'Python was not run: the container exited before it';
  if (result.exitCode === 124) return `Python timed out${where}${repeatedText(result)}`;
  return `Python exited with code ${result.exitCode}${where}; ${lastPrinted(result.output)}`;
}

type ProbeRecord = Readonly<Record<string, unknown>>;

function recordOf(line: string): ProbeRecord {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as ProbeRecord) : {};
  } catch {
    return {};
  }
}
