import { expect, it } from 'vitest';
import { imageName, series, type Sha256 } from '#core';
import { diffLocks, renderLockDiff } from './diff-locks.ts';
import type { DebianPackage, GoFile, Lock } from './types.ts';

const hash = (digit: string): Sha256 => digit.repeat(64) as Sha256;
const debian = (name: string, version: string, digit = '1'): DebianPackage => ({
  name,
  version,
  architecture: 'amd64',
  sha256: hash(digit),
  size: 1,
  archive: 'debian',
  pool: 'pool/main/x.deb',
});

const goFile = (kind: 'zip' | 'mod', version: string): GoFile => ({
  name: 'x.test/a',
  version,
  kind,
  size: 1,
  sha256: hash(version === 'v1.1.0' ? '2' : '1'),
  sum: 'h1:',
});

function lockOf(runtime: readonly DebianPackage[], commit: string): Lock {
  const source = {
    repository: 'https://git.example/keystone',
    ref: 'master',
    commit: commit.repeat(40),
    version: '1',
    submodules: [],
  };
  return {
    format: 1,
    image: imageName('keystone'),
    series: series('master'),
    request: hash('0'),
    debian: { runtime },
    python: { runtime: [], build: [] },
    go: {
      language: '1.26',
      requires: {},
      files: [goFile('zip', commit === 'a' ? 'v1.0.0' : 'v1.1.0'), goFile('mod', 'v1.0.0')],
    },
    sources: { keystone: source },
  };
}

const before = lockOf(
  [
    debian('gone', '1'),
    debian('kept', '1'),
    debian('moved', '1', '1'),
    debian('rebuilt', '3', '1'),
  ],
  'a',
);
const after = lockOf(
  [debian('kept', '1'), debian('moved', '2', '2'), debian('new', '1'), debian('rebuilt', '3', '2')],
  'b',
);

it('lists changed, added and removed packages by section', () => {
  expect(renderLockDiff(diffLocks(before, after))).toBe(`keystone master
  debian runtime
    - gone 1
    ~ moved 1 -> 2
    + new 1
    ~ rebuilt 3 -> 3 (different file)
  go
    ~ x.test/a v1.0.0 -> v1.1.0
  sources
    ~ keystone master (aaaaaaaaaaaa) -> master (bbbbbbbbbbbb)
`);
});

it('is empty for equal locks', () => {
  expect(renderLockDiff(diffLocks(after, after))).toBe('');
});
