import { expect, test } from 'vitest';
import type { Outcome } from '#build';
import { exitCodeOfBuild } from './build-exit-code.ts';

const failed = (code: string) => ({ type: 'failed', fault: { code } }) as unknown as Outcome;
const [built, blocked] = ['built', 'blocked'].map((type) => ({ type }) as unknown as Outcome) as [
  Outcome,
  Outcome,
];

test.each([
  ['all is built', [built], 0],
  ['the engine died', [built, failed('engine-unreachable'), blocked], 5],
  ['the engine died and the store is full', [failed('engine-failed'), failed('store-full')], 5],
  ['inputs are missing', [built, failed('file-gone'), failed('checksum-mismatch'), blocked], 4],
  ['the engine died too', [failed('file-gone'), failed('engine-failed')], 1],
  ['a step failed too', [failed('engine-unreachable'), failed('build-failed'), blocked], 1],
] as const)('chooses the exit code when %s', (_, outcomes, expected) => {
  expect(
    exitCodeOfBuild({
      result: {
        outcomes,
        cancelled: false,
        complete: outcomes.every(({ type }) => type === 'built'),
      },
    }),
  ).toBe(expected);
});
