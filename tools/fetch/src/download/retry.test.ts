import { expect, it } from 'vitest';
import { retryTransient, TransientError, transientStatus } from './retry.ts';

const NEVER = new AbortController().signal;

it('doubles its waits with a random factor, and raises the last error', async () => {
  const delays: number[] = [];
  const fail = (): Promise<never> => Promise.reject(new TransientError('busy'));
  const policy = { attempts: 5, firstMs: 4 };
  await expect(
    retryTransient(
      fail,
      policy,
      NEVER,
      (_, delay) => delays.push(delay),
      () => 0,
    ),
  ).rejects.toThrow('busy');
  expect(delays).toEqual([2, 4, 8, 16]);
  await expect(
    retryTransient(
      fail,
      { attempts: 2, firstMs: 4 },
      NEVER,
      (_, delay) => delays.push(delay),
      () => 0.999,
    ),
  ).rejects.toThrow('busy');
  expect(delays.at(-1)).toBe(4);
});

it('does not retry permanent errors', async () => {
  let tried = 0;
  const broken = () => Promise.reject(new Error(`try ${++tried}`));
  await expect(
    retryTransient(broken, { attempts: 5, firstMs: 1 }, NEVER, () => undefined),
  ).rejects.toThrow('try 1');
});

it.each([
  [404, undefined, undefined],
  [503, undefined, undefined],
  [503, '7', 7_000],
  [429, 'Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
  [429, 'Wed, 21 Oct 2026 07:00:00 GMT', 0],
  [429, 'soon', undefined],
])('reads %i with Retry-After %s as a wait of %s', (status, header, wait) => {
  const error = transientStatus(status, header, Date.parse('2026-10-21T07:28:00Z'));
  expect(error?.waitMs).toBe(wait);
  expect(error === undefined).toBe(status === 404);
});
