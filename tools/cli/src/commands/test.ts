import { Option } from 'commander';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandDefinition } from '../command.ts';
import { EXIT } from '../report/exit-codes.ts';
import { statePaths } from '../state/paths.ts';
import { hasFailed, summaryOf, summaryText, type TestOutcome } from './test/outcomes.ts';
import type { RunFiles } from './test/run-groups.ts';
import { listTests, selectTests, type SelectedTests } from './test/select-tests.ts';
import { collectGroups, TEST_GROUPS, type TestGroup } from './test/test-groups.ts';

export interface TestFlags {
  readonly fast?: boolean;
  readonly all?: boolean;
  readonly group?: readonly TestGroup[];
}

/**
 * `ccp test`: installs the packages that the tests need, checks types, and runs the tests. Patterns
 * or `--group` select tests; types are not checked then. The `fast` group runs first; the other
 * groups run if it passes, with an engine that is started if none responds. A few failed files of
 * these groups run once more at the end. The last line is `N passed, N failed`, followed by
 * `, N skipped` and `, N passed only on the second try` (files) if there were any.
 */
export const test: CommandDefinition<TestFlags> = {
  usage: 'test [patterns...]',
  description:
    'install the packages that the tests need and run the tests of ccp itself: all groups but cloud, or the files that match the patterns (a file, a folder, a part of a path, a glob)',
  options: [
    new Option('--fast', 'skip tests that need an engine or a cluster'),
    new Option(
      '--all',
      'also run tests that take many minutes: a whole cloud, sources of master',
    ).conflicts('fast'),
    new Option('--group <name>', 'run only the tests of this group; repeat to run several')
      .choices(TEST_GROUPS)
      .argParser(collectGroups)
      .conflicts(['fast', 'all']),
  ],
  examples: [
    'ccp test',
    'ccp test --fast',
    'ccp test tools/plan/src/explain.test.ts',
    'ccp test tools/plan resolve-locks',
    'ccp test --group engine --group cluster',
    'ccp test --all',
  ],
  run: async ({ own, output, flags }, patterns, chosen) => {
    const { missingPackages } = await import('#cluster');
    const { openMemo, requireWritable } = await import('#host');
    const { installPackages, openEngines } = await import('../compose/engines.ts');
    const { interruptSignal } = await import('../compose/interrupt.ts');
    const { readSettings } = await import('../compose/settings.ts');
    const { heavyFileNote, missingTestPackages } = await import('./test/missing-test-packages.ts');
    const { runEngineGroups, runFailedAgain } = await import('./test/run-groups.ts');
    const { runVitest } = await import('./test/run-vitest.ts');
    const selection = selectedTests(own, patterns, chosen, output.info);
    const [isFast, others] = [
      selection.has('fast'),
      [...selection.keys()].some((g) => g !== 'fast'),
    ];
    requireWritable(
      own,
      'the tests write to the source folder: run them in a clone that this user can write to',
    );
    const missing = [
      ...new Set([
        ...missingTestPackages(selection),
        ...(needsCluster(selection) ? missingPackages({ toBuild: true }) : []),
      ]),
    ];
    const note = missing.length > 0 ? heavyFileNote(selection) : undefined;
    if (note !== undefined) output.warn(note);
    if (missing.length > 0) await installPackages(missing, output, flags.yes === true);
    const isWhole = patterns.length === 0 && chosen.group === undefined;
    const first: TestOutcome[] = isWhole ? [typeCheck(own)] : [];
    const second: TestOutcome[] = [];
    const { signal, done } = interruptSignal(output.warn);
    if (isFast)
      first.push(
        ...(await runVitest(own, 'fast', selection.get('fast') ?? [], 'lines', { signal })),
      );
    if (others && !first.some(hasFailed)) {
      const settings = readSettings(own, openMemo(statePaths(own).memo));
      const engines = await openEngines({ settings, output, yes: flags.yes === true });
      const env = { CCP_ENGINE: engines.endpoints[0] as string };
      const run: RunFiles = (group, files, shown) =>
        runVitest(own, group, files, shown, { env, signal });
      const groups = await runEngineGroups(selection, run);
      first.push(...groups.flatMap(({ outcomes }) => outcomes));
      second.push(...(await runFailedAgain(groups, run, output.warn)));
    }
    done();
    const summary = summaryOf(first, second);
    for (const file of summary.secondTry) output.warn(`passed only on the second try: ${file}`);
    output.result(summaryText(summary), summary);
    return hasFailed(summary) ? EXIT.failed : EXIT.done;
  },
};

/** The groups to run, with the files of each; an empty list selects all files of the group. */
function selectedTests(
  own: string,
  patterns: readonly string[],
  { fast, all, group }: TestFlags,
  note: (text: string) => void,
): SelectedTests {
  if (patterns.length > 0) {
    const groups = TEST_GROUPS.filter((each) =>
      fast === true ? each === 'fast' : (group?.includes(each) ?? true),
    );
    const isSource = (path: string): boolean => existsSync(join(own, path));
    const place = { root: own, folder: process.cwd(), isSource, note };
    return selectTests(listTests(own), patterns, groups, place);
  }
  const groups =
    group ??
    TEST_GROUPS.filter((each) => each === 'fast' || (fast !== true && (each !== 'cloud' || all)));
  return new Map(groups.map((each) => [each, []]));
}

/** True if any test starts a cluster; a few tests of the engine group do. */
function needsCluster(selection: SelectedTests): boolean {
  const isWhole = selection.get('engine')?.length === 0;
  return isWhole || selection.has('cluster') || selection.has('cloud');
}

function typeCheck(root: string): TestOutcome {
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
