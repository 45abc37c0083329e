import { readFileSync } from 'node:fs';
import { omitUndefined } from '#core';
import { commandReport } from './command-report.ts';
import { fileChecks, imageFileFindings } from './file-checks.ts';
import { cutOff } from './finding-text.ts';
import { librariesToCheck } from './libraries-to-check.ts';
import { libraryFindings } from './library-check.ts';
import { accountsOf, mergeLayers, pathText } from './merge-layers.ts';
import { parseProbe } from './probe-records.ts';
import { isolated, LIMIT_SECONDS, loadFactor, runLimited } from './test-container.ts';
import type { Finding, ImageExpectations, TestReport, TestSubject } from './types.ts';
import { userFindings } from './user-check.ts';

/** Bytes of arguments in a container; Linux allows at least 2 MiB, environment included. */
const MAX_ARGUMENTS = 1 << 20;
/** The NUL at the end of an argument, and its pointer. */
const ARGUMENT_OVERHEAD = 9;

/**
 * Tests a built image. Files and accounts are checked in the listings of its layers. Libraries are
 * checked by the loader in a container as root; commands and Python checks run in another container
 * as the user of the image. Both containers have no network and a read-only root; a container
 * without work is omitted. A command or a container that exceeds its time limit is run once more,
 * alone. Faults of the image are in the report. Throws the errors of the runner.
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
  subject: TestSubject,
  signal?: AbortSignal,
): Promise<TestReport> {
  const { config, layers, base } = subject;
  const below = mergeLayers(layers.slice(0, base?.layers ?? 0));
  const tree = mergeLayers(layers.slice(base?.layers ?? 0), below);
  const files = [...tree.values()].map(({ path, type, mode }) => ({
    type,
    mode,
    path: pathText(path),
  }));
  const checkedBase = base === undefined ? undefined : { tree: below, allow: base.allow };
  const libraries = librariesToCheck(tree, expected.allow, checkedBase);
  return {
    checks: ['user', ...fileChecks(expected), 'libraries'],
    findings: [
      ...userFindings(config, accountsOf(layers, tree), expected.user),
      ...imageFileFindings(files, expected),
      ...(await loaderFindings(libraries, expected, subject, signal)),
    ],
  };
}

/** Runs the loader on the ELF files at `paths`; starts no container without paths. */
async function loaderFindings(
  paths: readonly string[],
  { allow }: ImageExpectations,
  { runner, reference, loadFactor: factor = loadFactor }: TestSubject,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const group of argumentLists(paths)) {
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
          ...group,
        ],
      },
      () => LIMIT_SECONDS.probe * factor(),
      signal,
    );
    const faults = parseProbe(result.stdout);
    if (faults === undefined) return [...findings, cutOff('libraries', 'library checks', result)];
    findings.push(...libraryFindings(faults, allow));
  }
  return findings;
}

/** The paths in groups that a command line can have. */
function argumentLists(paths: readonly string[]): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let left = 0;
  for (const path of paths) {
    const size = Buffer.byteLength(path) + ARGUMENT_OVERHEAD;
    if (size > left) {
      groups.push([]);
      left = MAX_ARGUMENTS;
    }
    groups.at(-1)!.push(path);
    left -= size;
  }
  return groups;
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
