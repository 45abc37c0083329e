import type { Json } from '#core';
import type { ImageSetEntry } from '../types.ts';

/** Predicate type of in-toto's test result. */
export const TEST_RESULT = 'https://in-toto.io/attestation/test-result/v0.1';

/** The tests that an image passed; its set has only images that passed all of their tests. */
export function testResult(
  { tests: key }: Pick<ImageSetEntry, 'tests'>,
  tests: readonly string[],
): Json {
  return {
    result: 'PASSED',
    configuration: [
      {
        name: 'tests of the image definition',
        ...(key === undefined ? {} : { digest: { sha256: key } }),
      },
    ],
    passedTests: [...tests],
    warnedTests: [],
    failedTests: [],
  };
}
