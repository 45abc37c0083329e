import { globSync } from 'node:fs';
import { basename, posix, relative, resolve } from 'node:path';
import { CcpError, throwFindings } from '#core';
import { groupOf, TEST_GROUPS, TEST_SUFFIXES, type TestGroup } from './test-groups.ts';

/** Characters that make an argument a glob. */
const GLOB = /[*?[{]/;

/** Test files to run, by group. */
export type SelectedTests = ReadonlyMap<TestGroup, readonly string[]>;

/** Where the patterns of `selectTests` are looked up. */
export interface SearchPlace {
  readonly root: string;
  /** The current folder. */
  readonly folder: string;
  /** True for the path of a source, relative to `root`. */
  readonly isSource: (path: string) => boolean;
  /** Receives a line for each source that selects tests. */
  readonly note: (text: string) => void;
}

/** The paths of all test files below `tools` and `tests`, relative to `root`, sorted. */
export function listTests(root: string): readonly string[] {
  return globSync('{tools,tests}/**/*.test.ts', {
    cwd: root,
    exclude: (path) => basename(path) === 'node_modules',
  }).sort();
}

/**
 * Selects the test files of `groups` that match any of `patterns`: the path of a file or folder
 * (relative to `folder`, or to `root`), a glob of paths below `root`, or a part of such a path. A
 * source selects the test files with its name, else those of its folder. Throws `usage` for all
 * patterns without a match.
 */
export function selectTests(
  files: readonly string[],
  patterns: readonly string[],
  groups: readonly TestGroup[],
  place: SearchPlace,
): SelectedTests {
  const { root, folder } = place;
  const candidates = files.filter((file) => groups.includes(groupOf(file)));
  const selected = new Set<string>();
  const findings: CcpError[] = [];
  for (const pattern of patterns) {
    const path = relative(root, resolve(folder, pattern));
    const named = pattern === '' ? [] : matching(candidates, pattern, path);
    const matches = named.length > 0 ? named : testsOfSource(candidates, path, place);
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

/** The tests with the name of a source, else those of its folder. */
function testsOfSource(
  files: readonly string[],
  path: string,
  { isSource, note }: SearchPlace,
): readonly string[] {
  if (!path.endsWith('.ts') || path.endsWith('.test.ts') || !isSource(path)) return [];
  const siblings = Object.values(TEST_SUFFIXES).map((suffix) => path.replace(/\.ts$/, suffix));
  const own = files.filter((file) => siblings.includes(file));
  if (own.length > 0) {
    note(`running the tests of ${path}: ${own.join(', ')}`);
    return own;
  }
  const folder = posix.dirname(path);
  const near = files.filter((file) => file.startsWith(`${folder}/`));
  if (near.length > 0)
    note(`${path} has no test file with its name: running the tests in ${folder}`);
  return near;
}

function unmatched(pattern: string, groups: readonly TestGroup[]): CcpError {
  const all = groups.length === TEST_GROUPS.length;
  return new CcpError({
    code: 'usage',
    message: `no test file${all ? '' : ` of the group ${groups.join(' or ')}`} matches "${pattern}"`,
    hint: 'give a test file, a folder, a part of a path or a glob, such as tools/plan or "tools/*/src/*.test.ts"',
  });
}
