import { describe, expect, it } from 'vitest';
import { omitUndefined } from '#core';
import {
  filesToRepeat,
  outcomesOf,
  summaryOf,
  summaryText,
  type GroupOutcome,
  type TestOutcome,
} from './outcomes.ts';
import type { TestGroup } from './test-groups.ts';

const outcome = (
  file: string | undefined,
  passed: number,
  failed = 0,
  skipped = 0,
): TestOutcome => ({
  ...omitUndefined({ file }),
  passed,
  failed,
  skipped,
});

/** A report of vitest for the statuses of each file's tests. */
const reportOf = (files: Readonly<Record<string, readonly [string, ...string[]]>>): string =>
  JSON.stringify({
    testResults: Object.entries(files).map(([name, [status, ...tests]]) => ({
      name: `/ccp/${name}`,
      status,
      assertionResults: tests.map((each) => ({ status: each })),
    })),
  });

describe('outcomesOf', () => {
  it('counts the tests of each file', () => {
    const report = reportOf({
      'tests/a.test.ts': ['passed', 'passed', 'passed', 'skipped', 'pending', 'todo'],
      'tests/b.test.ts': ['failed', 'passed', 'failed', 'failed'],
    });
    expect(outcomesOf(report, '/ccp', false)).toEqual([
      outcome('tests/a.test.ts', 2, 0, 2),
      outcome('tests/b.test.ts', 1, 2),
    ]);
  });

  it('counts a file that failed before its tests ran as one failure', () => {
    const report = reportOf({ 'tests/a.test.ts': ['failed', 'skipped'] });
    expect(outcomesOf(report, '/ccp', false)).toEqual([outcome('tests/a.test.ts', 0, 1, 1)]);
  });

  it('counts an error outside of all tests as one failure', () => {
    const report = reportOf({ 'tests/a.test.ts': ['passed', 'passed'] });
    expect(outcomesOf(report, '/ccp', true)).toEqual([outcome('tests/a.test.ts', 1)]);
    expect(outcomesOf(report, '/ccp', false)).toEqual([
      outcome('tests/a.test.ts', 1),
      outcome(undefined, 0, 1),
    ]);
  });
});

describe('filesToRepeat', () => {
  const groupOf = (group: TestGroup, failed: number): GroupOutcome => ({
    group,
    outcomes: [
      outcome(`${group}-passed`, 1),
      ...Array.from({ length: failed }, (_, index) => outcome(`${group}-${index}`, 1, 1)),
    ],
  });

  it.each<[string, readonly GroupOutcome[], readonly string[]]>([
    ['no file that passed', [groupOf('engine', 0)], []],
    ['three failed files', [groupOf('engine', 3)], ['engine-0', 'engine-1', 'engine-2']],
    ['no file of a group with four failed files', [groupOf('engine', 4)], []],
    ['no file of the fast group', [groupOf('fast', 1)], []],
    ['no error outside of files', [{ group: 'engine', outcomes: [outcome(undefined, 0, 1)] }], []],
  ])('repeats %s', (_, groups, files) => {
    expect(filesToRepeat(groups)).toEqual(files.map((file) => ({ group: 'engine', file })));
  });
});

describe('summaryOf', () => {
  const first = [
    outcome('tests/a.test.ts', 4),
    outcome('tests/b.test.ts', 1, 1, 2),
    outcome('tests/c.test.ts', 0, 2),
    outcome(undefined, 1),
  ];

  it.each<[string, readonly TestOutcome[], string, readonly string[]]>([
    ['one run', [], '6 passed, 3 failed, 2 skipped', []],
    [
      'a file that passed on the second try',
      [outcome('tests/b.test.ts', 4)],
      '9 passed, 2 failed, 1 passed only on the second try',
      ['tests/b.test.ts'],
    ],
    [
      'two files that passed on the second try',
      [outcome('tests/b.test.ts', 3, 0, 1), outcome('tests/c.test.ts', 2)],
      '10 passed, 0 failed, 1 skipped, 2 passed only on the second try',
      ['tests/b.test.ts', 'tests/c.test.ts'],
    ],
    [
      'files that failed twice',
      [outcome('tests/b.test.ts', 3, 1), outcome('tests/c.test.ts', 0, 1)],
      '6 passed, 3 failed, 2 skipped',
      [],
    ],
    [
      'a file whose tests were skipped on the second try',
      [outcome('tests/c.test.ts', 0, 0, 2)],
      '6 passed, 3 failed, 2 skipped',
      [],
    ],
  ])('counts %s', (_, second, text, secondTry) => {
    const summary = summaryOf(first, second);
    expect(summaryText(summary)).toBe(text);
    expect(summary.secondTry).toEqual(secondTry);
  });

  it('counts an error outside of files as a failure even if a file passed later', () => {
    const summary = summaryOf([outcome(undefined, 0, 1)], [outcome('tests/a.test.ts', 1)]);
    expect(summary).toEqual({ passed: 0, failed: 1, skipped: 0, secondTry: [] });
  });
});
