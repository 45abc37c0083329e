import { InvalidArgumentError } from 'commander';

/**
 * Groups of test files and the suffix of each; tests/README.md says what each group needs. A file
 * belongs to the group with its longest suffix.
 */
export const TEST_SUFFIXES = {
  fast: '.test.ts',
  engine: '.engine.test.ts',
  cluster: '.cluster.test.ts',
  cloud: '.cloud.test.ts',
} as const;

export type TestGroup = keyof typeof TEST_SUFFIXES;

export const TEST_GROUPS = Object.keys(TEST_SUFFIXES) as readonly TestGroup[];

/** Groups of earlier versions, with the groups that have their tests now. */
const FORMER_GROUPS: Readonly<Record<string, string>> = {
  slow: 'engine and cluster',
  long: 'cloud',
};

/** The group called `name`. Throws commander's error for an unknown group. */
export function testGroup(name: string): TestGroup {
  const group = TEST_GROUPS.find((each) => each === name);
  if (group !== undefined) return group;
  const now = FORMER_GROUPS[name];
  throw new InvalidArgumentError(
    now === undefined ? `Use one of: ${TEST_GROUPS.join(', ')}.` : `Its tests are now in ${now}.`,
  );
}

/** Collects the values of `--group`. */
export function collectGroups(
  text: string,
  before: readonly TestGroup[] = [],
): readonly TestGroup[] {
  return [...before, testGroup(text)];
}

/** The group of a test file's name or path. */
export function groupOf(file: string): TestGroup {
  const special = TEST_GROUPS.filter((group) => group !== 'fast');
  return special.find((group) => file.endsWith(TEST_SUFFIXES[group])) ?? 'fast';
}
