import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { missingPackages } from '#cluster';
import { CcpError } from '#core';
import { openMemo, requireWritable } from '#host';
import type { CommandContext } from '../command.ts';
import { installPackages, openEngines } from '../compose-engines.ts';
import { EXIT } from '../exit-codes.ts';
import { missingTestPackages } from '../missing-test-packages.ts';
import { listTests, selectTests, type SelectedTests } from '../select-tests.ts';
import { readSettings } from '../settings.ts';
import { statePaths } from '../state/paths.ts';
import { TEST_GROUPS, type TestGroup } from '../test-groups.ts';

export interface TestFlags {
  readonly fast?: boolean;
  readonly all?: boolean;
  readonly group?: readonly TestGroup[];
}

interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * `ccp test`: installs the packages that the tests need, checks types, and runs the tests. Patterns
 * or `--group` select tests; types are not checked then. The `fast` group runs first; the other
 * groups run if it passes, with an engine that is started if none responds: `engine` and `slow` at
 * the same time, since slow tests mostly wait, and `long` last. The last line is `N passed, N failed`,
 * followed by `, N skipped` if tests were skipped.
 */
export async function test(
  { own, output, flags }: CommandContext,
  patterns: readonly string[],
  chosen: TestFlags,
): Promise<number> {
  const selection = selectedTests(own, patterns, chosen);
  const [isFast, others] = [selection.has('fast'), [...selection.keys()].some((g) => g !== 'fast')];
  requireWritable(
    own,
    'the tests write to the source folder: run them in a clone that this user can write to',
  );
  const missing = [
    ...new Set([
      ...missingTestPackages(!others),
      ...(others ? missingPackages({ toBuild: true }) : []),
    ]),
  ];
  if (missing.length > 0) await installPackages(missing, output, flags.yes === true);
  const isWhole = patterns.length === 0 && chosen.group === undefined;
  const tallies = isWhole ? [typeCheck(own)] : [];
  if (isFast) tallies.push(await vitest(own, 'fast', selection));
  if (others && tallies.every(({ failed }) => failed === 0)) {
    const settings = readSettings(own, openMemo(statePaths(own).memo));
    const engines = await openEngines({ settings, output, yes: flags.yes === true });
    const engine = { CCP_ENGINE: engines.endpoints[0] as string };
    const isBoth = selection.has('engine') && selection.has('slow');
    tallies.push(
      ...(await Promise.all(
        (['engine', 'slow'] as const)
          .filter((group) => selection.has(group))
          .map((group) =>
            vitest(
              own,
              group,
              selection,
              engine,
              isBoth && group === 'slow' ? 'together' : 'lines',
            ),
          ),
      )),
    );
    if (selection.has('long')) tallies.push(await vitest(own, 'long', selection, engine));
  }
  const sum = (kind: keyof Tally): number => tallies.reduce((so, tally) => so + tally[kind], 0);
  const [passed, failed, skipped] = [sum('passed'), sum('failed'), sum('skipped')];
  output.result(
    `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`,
    { passed, failed, skipped },
  );
  return failed === 0 ? EXIT.done : EXIT.failed;
}

/** The groups to run, with the files of each; an empty list stands for all files of the group. */
function selectedTests(
  own: string,
  patterns: readonly string[],
  { fast, all, group }: TestFlags,
): SelectedTests {
  if (patterns.length > 0) {
    const groups = TEST_GROUPS.filter((each) =>
      fast === true ? each === 'fast' : (group?.includes(each) ?? true),
    );
    return selectTests(listTests(own), patterns, groups, { root: own, folder: process.cwd() });
  }
  const groups =
    group ??
    TEST_GROUPS.filter((each) => each === 'fast' || (fast !== true && (each !== 'long' || all)));
  return new Map(groups.map((each) => [each, []]));
}

function typeCheck(root: string): Tally {
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--noEmit', '-p', 'tsconfig.json'],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  return status === 0 ? { passed: 1, failed: 0, skipped: 0 } : { passed: 0, failed: 1, skipped: 0 };
}

/**
 * Runs the selected tests of a group; prints their output by line, or all `together` at the end.
 */
async function vitest(
  root: string,
  group: TestGroup,
  selection: SelectedTests,
  env: Readonly<Record<string, string>> = {},
  shown: 'lines' | 'together' = 'lines',
): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-test-'));
  const report = join(folder, 'report.json');
  const said = join(folder, 'said');
  const to = shown === 'lines' ? 2 : openSync(said, 'w');
  try {
    const child = spawn(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'run',
        '--config',
        'tests/vitest.config.ts',
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
        ...(selection.get(group) ?? []).map((file) => join(root, file)),
      ],
      {
        cwd: root,
        stdio: ['ignore', to, to],
        env: { ...process.env, ...env, CCP_TEST_GROUP: group },
      },
    );
    const [status] = (await once(child, 'close')) as [number | null];
    if (shown === 'together') process.stderr.write(readFileSync(said));
    return tallyOf(readFileSync(report, 'utf8'), status === 0);
  } catch (cause) {
    throw new CcpError({
      code: 'test-runner',
      message: `the ${group} tests did not write a report`,
      cause,
    });
  } finally {
    if (to !== 2) closeSync(to);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts of a report; a suite that failed before its tests ran counts as a failure. */
function tallyOf(report: string, clean: boolean): Tally {
  const { numPassedTests, numFailedTests, numFailedTestSuites, numPendingTests } = JSON.parse(
    report,
  ) as Record<string, number>;
  const failed = Math.max(numFailedTests ?? 0, clean ? 0 : Math.max(numFailedTestSuites ?? 0, 1));
  return { passed: numPassedTests ?? 0, failed, skipped: numPendingTests ?? 0 };
}
