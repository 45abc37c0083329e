import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from './settings.ts';

test('the cache is where the environment says, else the setting, and is not made by asking', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'ccp-settings-')), 'a/b');
  expect(cacheFolder({ cache: '/other' }, { CCP_CACHE: folder })).toBe(folder);
  expect(cacheFolder({ cache: folder }, { CCP_CACHE: '', XDG_CACHE_HOME: '/xdg' })).toBe(folder);
  expect(cacheFolder({}, { XDG_CACHE_HOME: folder })).toBe(join(folder, 'ccp'));
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['rel', "the cache's folder is not an absolute path: rel"],
  ['/proc/x', "the cache's folder cannot be made in the kernel's /proc: /proc/x"],
  ['/etc/hostname/x', "the cache's folder cannot be made, since /etc/hostname is a file: /etc/hostname/x"],
])('refuses %s', (folder, message) => {
  expect(() => cacheFolder({}, { CCP_CACHE: folder })).toThrow(expect.objectContaining({ code: 'usage', message }));
});
