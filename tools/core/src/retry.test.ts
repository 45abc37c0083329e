import { expect, it } from 'vitest';
import { backOffMs, retry } from './retry.ts';

/** A call that fails with `try N` until try number `good`. */
function failing(good: number): () => Promise<string> {
  let tries = 0;
  return async () => {
    tries += 1;
    if (tries < good) throw new Error(`try ${tries}`);
    return `try ${tries}`;
  };
}

it.each([
  [3, 5, 'try 3', [1, 2]],
  [6, 3, 'try 3', [1, 2]],
  [1, 1, 'try 1', []],
])('makes a call that works at try %i at most %i times', async (good, attempts, end, expected) => {
  const pauses: number[] = [];
  const result = retry(failing(good), attempts, async (_, attempt) => {
    pauses.push(attempt);
    return true;
  });
  await expect(result.catch((thrown: unknown) => (thrown as Error).message)).resolves.toBe(end);
  expect(pauses).toEqual(expected);
});

it('throws the error when the pause gives up', async () => {
  await expect(retry(failing(3), 5, async () => false)).rejects.toThrow('try 1');
});

it('doubles the waits up to the limit, with jitter in the upper half', () => {
  const policy = { firstMs: 4, limitMs: 20 };
  const waits = (random: number): number[] =>
    [1, 2, 3, 4].map((attempt) => backOffMs(policy, attempt, () => random));
  expect(waits(0)).toEqual([2, 4, 8, 10]);
  expect(waits(1)).toEqual([4, 8, 16, 20]);
});
