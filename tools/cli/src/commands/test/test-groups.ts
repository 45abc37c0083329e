import { InvalidArgumentError } from 'commander';

/**
 * Groups of test files and the suffix of each. A file belongs to the group with its longest suffix.
 */
export const TEST_SUFFIXES = {
  fast: '.test.ts',
  engine: '.engine.test.ts',
  slow: '.slow.test.ts',
  long: '.long.test.ts',
} as const;

export type TestGroup = keyof typeof TEST_SUFFIXES;

export const TEST_GROUPS = Object.keys(TEST_SUFFIXES) as readonly TestGroup[];

/** Collects the values of `--group`. Throws commander's error for an unknown group. */
export function collectGroups(
  text: string,
  before: readonly TestGroup[] = [],
): readonly TestGroup[] {
  const group = TEST_GROUPS.find((each) => each === text);
  if (group === undefined)
    throw new InvalidArgumentError(`It must be one of ${TEST_GROUPS.join(', ')}.`);
  return [...before, group];
}

/** The group of a test file's name or path. */
export function groupOf(file: string): TestGroup {
  const special = TEST_GROUPS.filter((group) => group !== 'fast');
  return special.find((group) => file.endsWith(TEST_SUFFIXES[group])) ?? 'fast';
}
