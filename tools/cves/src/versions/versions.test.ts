import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { compareDebian } from './debian-version.ts';
import { comparePython, isPythonVersion } from './python-version.ts';
import { compareSemver } from './semver-version.ts';

/** Each version is newer than the one before it. */
const DEBIAN = [
  '~~',
  '~~a',
  '~',
  '0',
  '0.1~rc1-1',
  '0.1-1',
  '1.0~beta1-1',
  '1.0',
  '1.0-0.1',
  '1.0-1',
  '1.0-1+b1',
  '1.0-1+deb13u1',
  '1.0-1+deb13u2',
  '1.0-1+deb13u10',
  '1.0-2',
  '1.0+dfsg-1',
  '1.0.1',
  '1.2.3~rc1+dfsg-1',
  '1.2.3-1',
  '1.2.10-1',
  '3.5.1-1~deb13u1',
  '3.5.1-1',
  '1:0.9-1',
  '1:2.41.5-0+deb13u1',
  '2:1.0',
];

it('compares Debian versions like dpkg', () => {
  const hasDpkg = spawnSync('dpkg', ['--version']).status === 0;
  for (const [i, a] of DEBIAN.entries())
    for (const [j, b] of DEBIAN.entries()) {
      expect(Math.sign(compareDebian(a, b)), `${a} and ${b}`).toBe(Math.sign(i - j));
      // Neighbours only: a process for each pair of the list would take seconds.
      if (!hasDpkg || Math.abs(i - j) > 1) continue;
      const operator = i < j ? 'lt' : i > j ? 'gt' : 'eq';
      const { status } = spawnSync('dpkg', ['--compare-versions', a, operator, b]);
      expect(status, `dpkg: ${a} ${operator} ${b}`).toBe(0);
    }
});

it('treats leading zeros and a missing revision like dpkg', () => {
  expect(compareDebian('1.01', '1.1')).toBe(0);
  expect(compareDebian('1.0-0', '1.0')).toBe(0);
  expect(compareDebian('0:1.0', '1.0')).toBe(0);
});

/** PEP 440: each version is newer than the one before it. */
const PYTHON = [
  '1.dev0',
  '1.0.dev456',
  '1.0a1',
  '1.0a2.dev456',
  '1.0a12.dev456',
  '1.0a12',
  '1.0b1.dev456',
  '1.0b2',
  '1.0b2.post345.dev456',
  '1.0b2.post345',
  '1.0rc1.dev456',
  '1.0rc1',
  '1.0',
  '1.0+abc.5',
  '1.0+abc.7',
  '1.0+5',
  '1.0.post456.dev34',
  '1.0.post456',
  '1.0.15',
  '1.1.dev1',
  '1!0.1',
];

it('compares Python versions by PEP 440', () => {
  for (const [i, a] of PYTHON.entries())
    for (const [j, b] of PYTHON.entries())
      expect(Math.sign(comparePython(a, b)!), `${a} and ${b}`).toBe(Math.sign(i - j));
});

it.each([
  ['1.0', '1.0.0'],
  ['v1.0', '1.0'],
  ['1.0-alpha_1', '1.0a1'],
  ['1.0c1', '1.0RC1'],
  ['1.0-1', '1.0.post1'],
  ['1.0-r4', '1.0.post4'],
  ['1.0a', '1.0a0'],
])('knows that %s and %s are one Python version', (a, b) => {
  expect(comparePython(a, b)).toBe(0);
});

it('refuses texts that are not versions', () => {
  expect(isPythonVersion('2004d-legacy')).toBe(false);
  expect(comparePython('1.0', 'all')).toBeUndefined();
  expect(compareSemver('1.0.0', 'all')).toBeUndefined();
  expect(comparePython('1.'.repeat(100_000), '1')).toBeUndefined();
});

it('compares Go versions', () => {
  const go = [
    'v0.0.0-20190716064945-2f068394615f',
    'v0.5.4',
    '1.21.0-0',
    '1.26rc1',
    '1.26.0',
    'v2.0.0+incompatible',
  ];
  for (const [i, a] of go.entries())
    for (const [j, b] of go.entries())
      expect(Math.sign(compareSemver(a, b)!), `${a} and ${b}`).toBe(Math.sign(i - j));
});
