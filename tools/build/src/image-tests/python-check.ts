import { someOf, lastPrinted } from './finding-text.ts';
import type { CommandResult } from './probe-records.ts';
import type { Finding, ImageExpectations } from './types.ts';

/** What probe.py found; `result` is absent where the container ended before it. */
export function pythonFindings(result: CommandResult | undefined, { importExceptions }: Pick<ImageExpectations, 'importExceptions'>): readonly Finding[] {
  const records = (result?.output ?? '').split('\n').map(recordOf);
  const findings: Finding[] = [];
  const missing = new Map<string, string[]>();
  for (const { failed, error, project, requires, has, unchecked } of records) {
    if (typeof failed === 'string' && importExceptions[failed] === undefined) {
      const text = String(error);
      missing.set(text, [...(missing.get(text) ?? []), failed]);
    }
    if (typeof requires === 'string') {
      findings.push({ check: 'requirements', message: `${String(project)} requires ${requires}, but the image has ${typeof has === 'string' ? has : 'none'}` });
    }
    if (typeof unchecked === 'string') findings.push({ check: 'requirements', message: `requirements cannot be checked: ${unchecked}` });
  }
  for (const [error, modules] of missing) findings.push({ check: 'imports', message: `cannot import ${someOf(modules)}: ${error}` });
  if (!records.some(({ end }) => end === true)) findings.push({ check: 'imports', message: brokenOff(result, records) });
  return findings;
}

function brokenOff(result: CommandResult | undefined, records: readonly ProbeRecord[]): string {
  const at = records.findLast(({ importing }) => typeof importing === 'string')?.importing;
  const where = at === undefined ? '' : ` while it imported ${String(at)}`;
  if (result === undefined) return 'Python was not run, since the container ended before it';
  if (result.exitCode === 124) return `Python did not end in time${where}`;
  return `Python ended with exit code ${result.exitCode}${where}; ${lastPrinted(result.output)}`;
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
