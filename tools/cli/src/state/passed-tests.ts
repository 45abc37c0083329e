import type { Digest, ImageName, Series } from '#core';
import { readIfThere, writeAtomically } from './files.ts';
import type { StatePaths } from './paths.ts';

/** Maximum number of stored entries; the oldest are removed. */
const MAX_PASSED = 2_000;

/** Which tests stored images have passed. */
export interface PassedTests {
  /**
   * Whether the image with this digest `passed` the tests of this key, only `others`, or `nothing`.
   */
  known(image: ImageName, digest: Digest, key: string): 'passed' | 'others' | 'nothing';
  add(image: ImageName, digest: Digest, key: string): void;
  /** Removes the entry of an image that failed a later test run. */
  remove(image: ImageName, digest: Digest): void;
}

/**
 * The passed tests of one series. An unreadable file is treated as empty: the tests only run again.
 */
export function openPassedTests(paths: StatePaths, series: Series): PassedTests {
  const path = paths.tests(series);
  const passed = readPassed(path);
  const name = (image: ImageName, digest: Digest): string => `${image}@${digest}`;
  const save = (): void =>
    writeAtomically(
      path,
      `${JSON.stringify({ format: 1, passed: Object.fromEntries([...passed].slice(-MAX_PASSED)) })}\n`,
      { flush: false },
    );
  return {
    known: (image, digest, key) => {
      const last = passed.get(name(image, digest));
      return last === key ? 'passed' : last === undefined ? 'nothing' : 'others';
    },
    add: (image, digest, key) => {
      passed.delete(name(image, digest));
      passed.set(name(image, digest), key);
      save();
    },
    remove: (image, digest) => {
      if (passed.delete(name(image, digest))) save();
    },
  };
}

function readPassed(path: string): Map<string, unknown> {
  try {
    const { format, passed } = JSON.parse(readIfThere(path) ?? '{}') as {
      readonly format?: unknown;
      readonly passed?: object;
    };
    return new Map(format === 1 ? Object.entries(passed ?? {}) : []);
  } catch {
    return new Map();
  }
}
