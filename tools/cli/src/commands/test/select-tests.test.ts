import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CcpError, findingsIn } from '#core';
import { listTests, selectTests } from './select-tests.ts';
import { groupOf, TEST_GROUPS, type TestGroup } from './test-groups.ts';

const FILES = [
  'tests/cluster/deploy.cluster.test.ts',
  'tests/e2e/openstack.cloud.test.ts',
  'tests/e2e/keystone.engine.test.ts',
  'tools/plan/src/explain.test.ts',
  'tools/plan/src/plan-build.test.ts',
];
const SOURCES = [
  ...FILES,
  'tools/plan/src/explain.ts',
  'tools/plan/src/reasons.ts',
  'tools/ci/a.ts',
];
let notes: string[] = [];
const HINT =
  'give a test file, a folder, a part of a path or a glob, such as tools/plan or "tools/*/src/*.test.ts"';

const select = (
  patterns: readonly string[],
  groups: readonly TestGroup[] = TEST_GROUPS,
  folder = '/ccp',
) => {
  notes = [];
  const isSource = (path: string): boolean => SOURCES.includes(path);
  const note = (text: string): void => void notes.push(text);
  return Object.fromEntries(
    selectTests(FILES, patterns, groups, { root: '/ccp', folder, isSource, note }),
  );
};

function errorsOf(run: () => unknown): readonly object[] {
  try {
    run();
  } catch (thrown) {
    return findingsIn(thrown as CcpError).map(({ code, message, hint }) => ({
      code,
      message,
      hint,
    }));
  }
  return [];
}

it('refuses an empty pattern, which is a part of every path', () => {
  expect(errorsOf(() => select(['']))).toEqual([
    { code: 'usage', message: 'no test file matches ""', hint: HINT },
  ]);
});

describe('selectTests', () => {
  const plan = { fast: FILES.slice(3) };
  it.each([
    ['a file', ['tools/plan/src/explain.test.ts'], { fast: [FILES[3]] }],
    ['an absolute path', ['/ccp/tools/plan/src/explain.test.ts'], { fast: [FILES[3]] }],
    ['a folder', ['./tools/plan/'], plan],
    [
      'the whole repository',
      ['.'],
      { fast: FILES.slice(3), engine: [FILES[2]], cluster: [FILES[0]], cloud: [FILES[1]] },
    ],
    ['a part of a path', ['plan/src/explain'], { fast: [FILES[3]] }],
    ['a glob', ['tests/*/*.{cluster,engine}.test.ts'], { engine: [FILES[2]], cluster: [FILES[0]] }],
    ['two patterns with a common file', ['tools', 'explain'], plan],
  ])('selects %s', (_, patterns, expected) => {
    expect(select(patterns)).toEqual(expected);
  });

  it('resolves paths and globs from the current folder', () => {
    expect(select(['keystone.engine.test.ts'], TEST_GROUPS, '/ccp/tests/e2e')).toEqual({
      engine: [FILES[2]],
    });
    expect(select(['src/e*.test.ts'], TEST_GROUPS, '/ccp/tools/plan')).toEqual({
      fast: [FILES[3]],
    });
  });

  it('selects the test of a source, else the tests of its folder', () => {
    expect(select(['tools/plan/src/explain.ts'])).toEqual({ fast: [FILES[3]] });
    expect(notes).toEqual([
      'running the tests of tools/plan/src/explain.ts: tools/plan/src/explain.test.ts',
    ]);
    expect(select(['reasons.ts'], TEST_GROUPS, '/ccp/tools/plan/src')).toEqual(plan);
    expect(notes).toEqual([
      'tools/plan/src/reasons.ts has no test file with its name: running the tests in tools/plan/src',
    ]);
    for (const path of ['tools/ci/a.ts', 'tools/plan/src/gone.ts'])
      expect(errorsOf(() => select([path]))).toEqual([
        { code: 'usage', message: `no test file matches "${path}"`, hint: HINT },
      ]);
  });

  it('selects only files of the given groups', () => {
    expect(select(['tests/e2e'], ['engine'])).toEqual({ engine: [FILES[2]] });
  });

  it('does not select other tests for a test of another group', () => {
    expect(
      errorsOf(() => select(['tests/e2e/keystone.engine.test.ts'], ['fast', 'cloud'])),
    ).toEqual([
      {
        code: 'usage',
        message:
          'no test file of the group fast or cloud matches "tests/e2e/keystone.engine.test.ts"',
        hint: HINT,
      },
    ]);
  });

  it('lists every pattern without a match', () => {
    expect(errorsOf(() => select(['explain', 'nothing', '*.none']))).toEqual([
      { code: 'usage', message: 'no test file matches "nothing"', hint: HINT },
      { code: 'usage', message: 'no test file matches "*.none"', hint: HINT },
    ]);
    expect(errorsOf(() => select(['keystone'], ['fast', 'cluster']))).toEqual([
      {
        code: 'usage',
        message: 'no test file of the group fast or cluster matches "keystone"',
        hint: HINT,
      },
    ]);
  });
});

it('lists the test files of this repository', () => {
  const files = listTests(fileURLToPath(new URL('../../../../..', import.meta.url)));
  expect(files).toContain('tools/cli/src/commands/test/select-tests.test.ts');
  expect(files).toContain('tests/e2e/keystone.engine.test.ts');
  expect(files.filter((file) => file.includes('node_modules'))).toEqual([]);
  expect([...new Set(files.map(groupOf))].sort()).toEqual([...TEST_GROUPS].sort());
});
