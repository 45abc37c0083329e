import { readFileSync } from 'node:fs';
import { omitUndefined } from '#core';
import { commandReport } from './command-report.ts';
import { fileChecks, imageFileFindings } from './file-checks.ts';
import { cutOff } from './finding-text.ts';
import { libraryFindings } from './library-check.ts';
import { parseProbe } from './probe-records.ts';
import { isolated, LIMIT_SECONDS, loadFactor, runLimited } from './test-container.ts';
import type { CheckName, Finding, ImageExpectations, TestReport, TestSubject } from './types.ts';
import { userFindings } from './user-check.ts';

/**
 * Tests a built image in two containers without network and with a read-only root. One runs as root
 * and checks files. The other runs as the image's user and runs commands and Python checks; it is
 * omitted if there are none. A command or a container that exceeds its time limit is run once more,
 * alone. Faults of the image are in the report. Throws the runner's errors.
 */
export async function testImage(
  expected: ImageExpectations,
  subject: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const checkedFiles = fileReport(expected, subject, signal);
  const others = checkedFiles.catch(() => undefined);
  const [files, commands] = await Promise.all([
    checkedFiles,
    commandReport(expected, subject, others, signal),
  ]);
  const size = sizeFindings(expected, subject);
  return {
    checks: [
      ...files.checks,
      ...commands.checks,
      ...(expected.sizeBudget === undefined ? [] : ['size' as const]),
    ],
    findings: [...files.findings, ...commands.findings, ...size],
    ...omitUndefined({ repeated: commands.repeated }),
  };
}

async function fileReport(
  expected: ImageExpectations,
  {
    runner,
    reference,
    config,
    librariesChecked = false,
    loadFactor: factor = loadFactor,
  }: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const result = await runLimited(
    runner,
    {
      ...isolated(reference),
      user: '0',
      capAdd: ['DAC_READ_SEARCH'],
      command: [
        '-c',
        readFileSync(new URL('probe.sh', import.meta.url), 'utf8'),
        'probe',
        ...(librariesChecked ? ['no-libraries'] : []),
      ],
    },
    () => LIMIT_SECONDS.probe * factor(),
    signal,
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
