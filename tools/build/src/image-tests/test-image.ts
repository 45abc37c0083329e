import { omitUndefined } from '#core';
import { readFileSync } from 'node:fs';
import type { ContainerResult, ContainerSpec } from '#ports';
import { commandFindings } from './command-check.ts';
import { commandScript, scriptSeconds, type ScriptedCommand } from './command-script.ts';
import { fileChecks, imageFileFindings } from './file-checks.ts';
import { lastPrinted } from './finding-text.ts';
import { libraryFindings } from './library-check.ts';
import { parseCommands, parseProbe } from './probe-records.ts';
import { pythonFindings } from './python-check.ts';
import type { CheckName, Finding, ImageExpectations, TestReport, TestSubject } from './types.ts';
import { userFindings } from './user-check.ts';

/** Timeouts in seconds: of a command, of all Python checks, and of the file checks. */
const COMMAND_SECONDS = 60;
const PYTHON_SECONDS = 600;
const PROBE_SECONDS = 600;
/** Seconds allowed for starting and stopping a container. */
const CONTAINER_SECONDS = 60;
/** Folder for the commands' output: the only one that every user can write to. */
const OUTPUT_FOLDER = '/tmp';

/**
 * Tests a built image in two containers without network and with a read-only root. One runs as root
 * and checks files. The other runs as the image's user and runs commands and Python checks; it is
 * omitted if there are none. Faults of the image are in the report. Throws the runner's errors.
 */
export async function testImage(
  expected: ImageExpectations,
  subject: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const [files, commands] = await Promise.all([
    fileReport(expected, subject, signal),
    commandReport(expected, subject, signal),
  ]);
  const size = sizeFindings(expected, subject);
  return {
    checks: [
      ...files.checks,
      ...commands.checks,
      ...(expected.sizeBudget === undefined ? [] : ['size' as const]),
    ],
    findings: [...files.findings, ...commands.findings, ...size],
  };
}

async function fileReport(
  expected: ImageExpectations,
  { runner, reference, config }: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const result = await runner.run(
    {
      ...isolated(reference),
      user: '0',
      capAdd: ['DAC_READ_SEARCH'],
      command: ['-c', scriptOf('probe.sh'), 'probe'],
    },
    { timeoutMs: PROBE_SECONDS * 1000, ...omitUndefined({ signal }) },
  );
  const seen = parseProbe(result.stdout);
  const checks: readonly CheckName[] = ['user', ...fileChecks(expected), 'libraries'];
  if (seen === undefined) return { checks, findings: [cutOff('setuid', 'file checks', result)] };
  return {
    checks,
    findings: [
      ...userFindings(config, seen.users, expected.user),
      ...imageFileFindings(seen.files, expected),
      ...libraryFindings(seen.libraries, expected.allow),
    ],
  };
}

async function commandReport(
  expected: ImageExpectations,
  { runner, reference }: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const { commands, imports, python, provided, versions } = expected;
  const scripted: ScriptedCommand[] = commands.map(({ run }) => ({
    run,
    seconds: COMMAND_SECONDS,
  }));
  const withPython = python || imports.length > 0;
  if (withPython) {
    const request = JSON.stringify({ imports, consistent: python, provided });
    scripted.push({
      run: ['python3', '-B', '-P', '-c', scriptOf('probe.py'), request],
      seconds: PYTHON_SECONDS,
    });
  }
  if (scripted.length === 0) return { checks: [], findings: [] };
  const result = await runner.run(
    {
      ...isolated(reference),
      tmpfs: [OUTPUT_FOLDER, '/run'],
      command: ['-c', commandScript(scripted, OUTPUT_FOLDER)],
    },
    {
      timeoutMs: (CONTAINER_SECONDS + scriptSeconds(scripted)) * 1000,
      ...omitUndefined({ signal }),
    },
  );
  const results = parseCommands(result.stdout);
  const checks: CheckName[] = [
    ...(commands.length > 0 ? ['command' as const] : []),
    ...(imports.length > 0 ? ['imports' as const] : []),
    ...(python ? ['requirements' as const] : []),
  ];
  if (results.length === 0)
    return { checks, findings: [cutOff('command', 'command checks', result)] };
  const findings = commands.flatMap((command, index) =>
    commandFindings(command, results[index], versions),
  );
  return {
    checks,
    findings: withPython
      ? [...findings, ...pythonFindings(results[commands.length], expected)]
      : findings,
  };
}

function isolated(image: string): ContainerSpec {
  return { image, entrypoint: ['/bin/sh'], network: 'none', readOnlyRoot: true, capDrop: ['ALL'] };
}

function sizeFindings(
  { sizeBudget }: ImageExpectations,
  { size }: TestSubject,
): readonly Finding[] {
  if (sizeBudget === undefined || size <= sizeBudget) return [];
  return [
    {
      check: 'size',
      message: `the unpacked image has ${megabytes(size)}, ${megabytes(size - sizeBudget)} more than its budget of ${megabytes(sizeBudget)}`,
    },
  ];
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function cutOff(check: CheckName, what: string, { exitCode, stderr }: ContainerResult): Finding {
  return {
    check,
    message: `the container of the ${what} exited early with code ${exitCode}; ${lastPrinted(stderr)}`,
  };
}

function scriptOf(name: string): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
