import { globSync } from 'node:fs';
import { basename, posix, relative, resolve } from 'node:path';
import { CcpError, throwFindings } from '#core';
import { groupOf, TEST_GROUPS, type TestGroup } from './test-groups.ts';

/** Characters that make an argument a glob. */
const GLOB = /[*?[{]/;

/** Test files to run, by group. */
export type SelectedTests = ReadonlyMap<TestGroup, readonly string[]>;

/** The paths of all test files below `tools` and `tests`, relative to `root`, sorted. */
export function listTests(root: string): readonly string[] {
  return globSync('{tools,tests}/**/*.test.ts', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  }).sort();
}

/**
 * Selects the test files of `groups` that match any of `patterns`: the path of a file or folder
 * (relative to `folder`, or to `root`), a glob of paths below `root`, or a part of such a path.
 * Throws `usage` for all patterns without a match.
 */
export function selectTests(
  files: readonly string[],
  patterns: readonly string[],
  groups: readonly TestGroup[],
  { root, folder }: { readonly root: string; readonly folder: string },
): SelectedTests {
  const candidates = files.filter((file) => groups.includes(groupOf(file)));
  const selected = new Set<string>();
  const findings: CcpError[] = [];
  for (const pattern of patterns) {
    const matches =
      pattern === '' ? [] : matching(candidates, pattern, relative(root, resolve(folder, pattern)));
    if (matches.length === 0) findings.push(unmatched(pattern, groups));
    for (const file of matches) selected.add(file);
  }
  throwFindings(findings);
  return new Map(
    groups
      .map((group) => [group, [...selected].filter((file) => groupOf(file) === group)] as const)
      .filter(([, found]) => found.length > 0),
  );
}

function matching(files: readonly string[], pattern: string, path: string): readonly string[] {
  const named = [path, posix.normalize(pattern).replace(/\/$/, '')];
  const exact = files.filter((file) =>
    named.some((each) => file === each || each === '' || file.startsWith(`${each}/`)),
  );
  if (exact.length > 0) return exact;
  if (GLOB.test(pattern))
    return files.filter((file) => named.some((each) => posix.matchesGlob(file, each)));
  return files.filter((file) => file.includes(named[1] as string));
}

function unmatched(pattern: string, groups: readonly TestGroup[]): CcpError {
  const all = groups.length === TEST_GROUPS.length;
  return new CcpError({
    code: 'usage',
    message: `no test file${all ? '' : ` of the group ${groups.join(' or ')}`} matches "${pattern}"`,
    hint: 'give a test file, a folder, a part of a path or a glob, such as tools/plan or "tools/*/src/*.test.ts"; for a source without a test file, give its folder',
  });
}
