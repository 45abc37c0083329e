import { filesToRepeat, type GroupOutcome, type TestOutcome } from './outcomes.ts';
import type { Shown } from './run-vitest.ts';
import type { SelectedTests } from './select-tests.ts';
import type { TestGroup } from './test-groups.ts';

/** Runs `files` of a group, or all its files if the list is empty. */
export type RunFiles = (
  group: TestGroup,
  files: readonly string[],
  shown: Shown,
) => Promise<readonly TestOutcome[]>;

/**
 * Runs the selected groups that need an engine: `engine` and `cluster` at the same time, since
 * tests of clusters mostly wait, and `cloud` last.
 */
export async function runEngineGroups(
  selection: SelectedTests,
  run: RunFiles,
): Promise<readonly GroupOutcome[]> {
  const runGroup = async (group: TestGroup, shown: Shown): Promise<readonly GroupOutcome[]> => {
    const files = selection.get(group);
    return files === undefined ? [] : [{ group, outcomes: await run(group, files, shown) }];
  };
  const shown = selection.has('engine') ? 'together' : 'lines';
  const parallel = await Promise.all([runGroup('engine', 'lines'), runGroup('cluster', shown)]);
  return [...parallel.flat(), ...(await runGroup('cloud', 'lines'))];
}

/**
 * Runs the files that failed once more, one at a time, if few of their group failed. Call this when
 * all groups have ended: a test that failed because the machine was busy then has it alone.
 */
export async function runFailedAgain(
  groups: readonly GroupOutcome[],
  run: RunFiles,
  report: (line: string) => void,
): Promise<readonly TestOutcome[]> {
  const outcomes: TestOutcome[] = [];
  for (const { group, file } of filesToRepeat(groups)) {
    report(`${file} failed; running it once more`);
    outcomes.push(...(await run(group, [file], 'lines')));
  }
  return outcomes;
}
