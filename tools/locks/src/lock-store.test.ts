import { mkdirSync, mkdtempSync, readFileSync, rmSync, existsSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { imageName, series, sha256 } from '#core';
import { lockFileName, lockPath, lockStat, readLock, writeLock } from './lock-store.ts';
import type { Lock } from './types.ts';

const LOCK: Lock = {
  format: 1,
  image: imageName('a'),
  series: series('2026.1'),
  request: sha256('base'),
  debian: {},
  python: { runtime: [], build: [] },
  sources: {},
};
let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'ccp-lock-store-'));
  mkdirSync(join(root, 'site'));
});
afterEach(() => rmSync(root, { recursive: true }));

it('reads the topmost lock of overlaid workspaces, and writes only to the current workspace', () => {
  const [base, site] = ['base', 'site'].map((workspace) => join(root, workspace, 'images/a')) as [
    string,
    string,
  ];
  const below = { name: imageName('a'), folder: base };
  const overlaid = {
    ...below,
    layers: {
      root: join(root, 'site'),
      locks: [join(site, 'lock'), join(base, 'lock')],
      shared: [],
    },
  };
  writeLock(below, LOCK);
  expect(lockFileName(overlaid, LOCK.series)).toBe('../base/images/a/lock/2026.1.yaml');
  expect(readLock(overlaid, LOCK.series)).toEqual(LOCK);
  expect(writeLock(overlaid, LOCK)).toBe(false);
  expect(existsSync(site)).toBe(false);

  const before = readFileSync(join(base, 'lock/2026.1.yaml'), 'utf8');
  const changed = { ...LOCK, request: sha256('site') };
  expect(writeLock(overlaid, changed)).toBe(true);
  expect(lockFileName(overlaid, LOCK.series)).toBe('images/a/lock/2026.1.yaml');
  expect(readLock(overlaid, LOCK.series)).toEqual(changed);
  expect(readFileSync(join(base, 'lock/2026.1.yaml'), 'utf8')).toBe(before);
});

it.each([
  ['its folder', 'lock', 'images/a/lock is a symbolic link'],
  ['the file', 'lock/2026.1.yaml', 'images/a/lock/2026.1.yaml is a symbolic link'],
])('neither reads nor writes a lock through a link at %s', (_, link, message) => {
  const definition = { name: imageName('a'), folder: join(root, 'images/a') };
  const elsewhere = { name: imageName('a'), folder: join(root, 'elsewhere/a') };
  writeLock(elsewhere, LOCK);
  mkdirSync(join(definition.folder, link, '..'), { recursive: true });
  symlinkSync(join(elsewhere.folder, link), join(definition.folder, link));
  expect(() =>
    lockStat(lockPath(definition, LOCK.series), lockFileName(definition, LOCK.series)),
  ).toThrow(expect.objectContaining({ code: 'definition-invalid', message }));
  expect(() => writeLock(definition, { ...LOCK, request: sha256('other') })).toThrow(message);
  expect(readLock(elsewhere, LOCK.series)).toEqual(LOCK);
});
