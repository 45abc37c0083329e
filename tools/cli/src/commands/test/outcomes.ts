import { relative } from 'node:path';
import type { TestGroup } from './test-groups.ts';

/** Number of tests by result. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** The results of a test file; `file` is relative to the repository, or absent for other checks. */
export interface TestOutcome extends Tally {
  readonly file?: string;
}

/** The results of a group's files. */
export interface GroupOutcome {
  readonly group: TestGroup;
  readonly outcomes: readonly TestOutcome[];
}

/** A test file to run for a second time. */
export interface Repeat {
  readonly group: TestGroup;
  readonly file: string;
}

/** The results of a whole run, and the files that failed once and then passed. */
export interface Summary extends Tally {
  readonly secondTry: readonly string[];
}

/** More failed files than this in a group mean a fault of the code or of the machine. */
const MOST_REPEATS = 3;

/** The part of a report of vitest's `json` reporter that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/**
 * The outcomes in a report of vitest. A file that failed before its tests ran counts as one
 * failure. So does a run that is not `clean`, but has no failed file: an error outside of all
 * tests.
 */
export function outcomesOf(report: string, root: string, clean: boolean): readonly TestOutcome[] {
  const outcomes = (JSON.parse(report) as Report).testResults.map((result) => {
    const count = (...statuses: readonly string[]): number =>
      result.assertionResults.filter(({ status }) => statuses.includes(status)).length;
    return {
      file: relative(root, result.name),
      passed: count('passed'),
      failed: Math.max(count('failed'), result.status === 'failed' ? 1 : 0),
      skipped: count('skipped', 'pending'),
    };
  });
  return clean || outcomes.some(hasFailed)
    ? outcomes
    : [...outcomes, { passed: 0, failed: 1, skipped: 0 }];
}

/** The files to run once more: those of each group but `fast` in which only a few files failed. */
export function filesToRepeat(groups: readonly GroupOutcome[]): readonly Repeat[] {
  return groups
    .filter(({ group }) => group !== 'fast')
    .flatMap(({ group, outcomes }) => {
      const failed = outcomes.filter(hasFailed);
      return failed.length > MOST_REPEATS
        ? []
        : failed.flatMap(({ file }) => (file === undefined ? [] : [{ group, file }]));
    });
}

/**
 * Adds up outcomes. The second outcome of a file counts if its tests ran and none failed; otherwise
 * the first one counts.
 */
export function summaryOf(first: readonly TestOutcome[], second: readonly TestOutcome[]): Summary {
  const passedLater = new Map(
    second
      .filter((outcome) => !hasFailed(outcome) && outcome.passed > 0)
      .map((outcome) => [outcome.file, outcome]),
  );
  const counted = first.map((each) =>
    hasFailed(each) && each.file !== undefined ? (passedLater.get(each.file) ?? each) : each,
  );
  const sum = (kind: keyof Tally): number => counted.reduce((total, each) => total + each[kind], 0);
  const secondTry = counted.flatMap((each, index) =>
    each === first[index] || each.file === undefined ? [] : [each.file],
  );
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), secondTry };
}

/** The last line of a run. */
export function summaryText({ passed, failed, skipped, secondTry }: Summary): string {
  return [
    `${passed} passed, ${failed} failed`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(secondTry.length === 0 ? [] : [`${secondTry.length} passed only on the second try`]),
  ].join(', ');
}

export function hasFailed({ failed }: Tally): boolean {
  return failed > 0;
}
