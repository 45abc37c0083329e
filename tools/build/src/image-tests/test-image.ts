import { readFileSync } from 'node:fs';
import type { ContainerResult, ContainerSpec } from '#ports';
import { commandFindings } from './command-check.ts';
import { commandScript, scriptSeconds, type ScriptedCommand } from './command-script.ts';
import { fileChecks, fileFindings } from './file-checks.ts';
import { lastPrinted } from './finding-text.ts';
import { libraryFindings } from './library-check.ts';
import { parseCommands, parseProbe } from './probe-records.ts';
import { pythonFindings } from './python-check.ts';
import type { CheckName, Finding, ImageExpectations, TestReport, TestSubject } from './types.ts';
import { userFindings } from './user-check.ts';

/** Seconds for one command, for all imports, and for the look at the files. */
const COMMAND_SECONDS = 60;
const PYTHON_SECONDS = 600;
const PROBE_SECONDS = 600;
/** Seconds that a container may take to start and to end. */
const CONTAINER_SECONDS = 60;
/** Where the commands' output goes: the one folder to which every user may write. */
const SAID = '/tmp';

/**
 * Tests a built image by two containers without network and on a read-only root: one as root that only looks at files, one as
 * the image's user that runs the commands and the Python checks (left out where there are none). Raises the runner's errors;
 * what is wrong with the image is in the report.
 */
export async function testImage(expected: ImageExpectations, subject: TestSubject, signal?: AbortSignal): Promise<TestReport> {
  const [files, commands] = await Promise.all([fileReport(expected, subject, signal), commandReport(expected, subject, signal)]);
  const size = sizeFindings(expected, subject);
  return {
    checks: [...files.checks, ...commands.checks, ...(expected.sizeBudget === undefined ? [] : ['size' as const])],
    findings: [...files.findings, ...commands.findings, ...size],
  };
}

async function fileReport(expected: ImageExpectations, { runner, reference, config }: TestSubject, signal?: AbortSignal): Promise<TestReport> {
  const result = await runner.run(
    { ...isolated(reference), user: '0', capAdd: ['DAC_READ_SEARCH'], command: ['-c', scriptOf('probe.sh'), 'probe'] },
    { timeoutMs: PROBE_SECONDS * 1000, ...(signal === undefined ? {} : { signal }) },
  );
  const seen = parseProbe(result.stdout);
  const checks: readonly CheckName[] = ['user', ...fileChecks(expected), 'libraries'];
  if (seen === undefined) return { checks, findings: [cutOff('setuid', 'the look at its files', result)] };
  return {
    checks,
    findings: [...userFindings(config, seen.users, expected.user), ...fileFindings(seen.files, expected), ...libraryFindings(seen.libraries, expected.allow)],
  };
}

async function commandReport(expected: ImageExpectations, { runner, reference }: TestSubject, signal?: AbortSignal): Promise<TestReport> {
  const { commands, imports, python, provided, versions } = expected;
  const scripted: ScriptedCommand[] = commands.map(({ run }) => ({ run, seconds: COMMAND_SECONDS }));
  const withPython = python || imports.length > 0;
  if (withPython) {
    const asked = JSON.stringify({ imports, consistent: python, provided });
    scripted.push({ run: ['python3', '-B', '-P', '-c', scriptOf('probe.py'), asked], seconds: PYTHON_SECONDS });
  }
  if (scripted.length === 0) return { checks: [], findings: [] };
  const result = await runner.run(
    { ...isolated(reference), tmpfs: [SAID, '/run'], command: ['-c', commandScript(scripted, SAID)] },
    { timeoutMs: (CONTAINER_SECONDS + scriptSeconds(scripted)) * 1000, ...(signal === undefined ? {} : { signal }) },
  );
  const results = parseCommands(result.stdout);
  const checks: CheckName[] = [
    ...(commands.length > 0 ? ['command' as const] : []),
    ...(imports.length > 0 ? ['imports' as const] : []),
    ...(python ? ['requirements' as const] : []),
  ];
  if (results.length === 0) return { checks, findings: [cutOff('command', 'the run of its commands', result)] };
  const findings = commands.flatMap((command, index) => commandFindings(command, results[index], versions));
  return { checks, findings: withPython ? [...findings, ...pythonFindings(results[commands.length], expected)] : findings };
}

function isolated(image: string): ContainerSpec {
  return { image, entrypoint: ['/bin/sh'], network: 'none', readOnlyRoot: true, capDrop: ['ALL'] };
}

function sizeFindings({ sizeBudget }: ImageExpectations, { size }: TestSubject): readonly Finding[] {
  if (sizeBudget === undefined || size <= sizeBudget) return [];
  return [
    { check: 'size', message: `the image takes ${megabytes(size)} unpacked, ${megabytes(size - sizeBudget)} over its budget of ${megabytes(sizeBudget)}` },
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function cutOff(check: CheckName, what: string, { exitCode, stderr }: ContainerResult): Finding {
  return { check, message: `${what} ended early with exit code ${exitCode}; ${lastPrinted(stderr)}` };
}

function scriptOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
