import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorText } from '#core';
import { runMemo } from '#definitions';
import { cacheFolder, readSettings } from './settings.ts';

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

const settingsOf = (text: string | undefined): unknown => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  const file = join(root, '.ccp.yaml');
  if (text === undefined) mkdirSync(file);
  else writeFileSync(file, text);
  try {
    return readSettings(root, runMemo());
  } catch (thrown) {
    return errorText(thrown);
  } finally {
    rmSync(root, { recursive: true });
  }
};

test.each<[string, string | undefined, unknown]>([
  ['an empty file', '', {}],
  ['comments alone', '# jobs: 2\n---\n  # cache: /a\n\n', {}],
  ['a comment and a setting', '# two\njobs: 2\n', { jobs: 2 }],
  ['a folder', undefined, 'ccp: cannot read .ccp.yaml: it is a folder\n  -> name a file'],
  ['a relative cache', 'cache: relative\n', 'ccp: .ccp.yaml:1:8: cache must be an absolute path, not "relative"'],
  ['a mirror that is no URL', 'mirrors: { npm: [x] }\n', 'ccp: .ccp.yaml:1:18: mirrors.npm[0] must be a URL of http:// or https://, not "x"'],
])('settings: %s', (_, text, expected) => expect(settingsOf(text)).toEqual(expected));
