import { expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { matchesPattern } from './matches-pattern.ts';

it.each([
  ['files/a', 'files/*', true],
  ['files/a/b', 'files/*', false],
  ['files/a/b', 'files/*/b', true],
  ['files/ab.conf', 'files/a?.conf', true],
  ['files/a.conf', 'files/a?.conf', false],
  ['files/aXbXc', 'files/*X*c', true],
  ['files/aXbXd', 'files/*X*c', false],
  ['files/b', 'files/[a-c]', true],
  ['files/d', 'files/[a-c]', false],
  ['files/d', 'files/[^a-c]', true],
  ['files/-', 'files/[a-]', true],
  ['files/b', 'files/[c-a]', false],
  ['files/[', 'files/[', false],
  ['files/a', 'files/{a,b}*', false],
  ['files/.a', 'files/*', true],
])('%s and the pattern %s: %s', (path, pattern, expected) => {
  expect(matchesPattern(path, pattern)).toBe(expected);
});

it('takes no exponential time', () => {
  const started = cpuMs();
  for (let round = 0; round < 1_000; round += 1)
    expect(matchesPattern(`files/${'a'.repeat(250)}`, `files/${'*a'.repeat(120)}b`)).toBe(false);
  expect(cpuMs() - started).toBeLessThan(4_000);
});
