import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorText } from '#core';
import { runMemo } from '#definitions';
import { cacheFolder, programFolder, readSettings } from './settings.ts';

test('prefers the cache folder of the environment to the setting, and creates nothing', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'ccp-settings-')), 'a/b');
  expect(cacheFolder({ cache: '/other' }, { CCP_CACHE: folder })).toBe(folder);
  expect(cacheFolder({ cache: folder }, { CCP_CACHE: '', XDG_CACHE_HOME: '/xdg' })).toBe(folder);
  expect(cacheFolder({}, { XDG_CACHE_HOME: folder })).toBe(join(folder, 'ccp'));
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['rel', 'the cache folder is not an absolute path: rel'],
  ['/proc/x', "the cache folder cannot be created in the kernel's /proc: /proc/x"],
  [
    '/etc/hostname/x',
    'the cache folder cannot be created, since /etc/hostname is a file: /etc/hostname/x',
  ],
])('refuses %s', (folder, message) => {
  expect(() => cacheFolder({}, { CCP_CACHE: folder })).toThrow(
    expect.objectContaining({ code: 'usage', message }),
  );
});

const settingsOf = (text: string | undefined, user?: string, cache?: string): unknown => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  const file = join(root, '.ccp.yaml');
  if (text === undefined) mkdirSync(file);
  else writeFileSync(file, text);
  if (user !== undefined) {
    mkdirSync(join(root, 'config/ccp'), { recursive: true });
    writeFileSync(join(root, 'config/ccp/settings.yaml'), user);
  }
  const env = { XDG_CONFIG_HOME: join(root, 'config'), XDG_CACHE_HOME: '/xdg' };
  try {
    return readSettings(root, runMemo(), cache === undefined ? env : { ...env, CCP_CACHE: cache });
  } catch (thrown) {
    return errorText(thrown).replaceAll(root, 'ROOT');
  } finally {
    rmSync(root, { recursive: true });
  }
};

test.each<[string, string | undefined, unknown]>([
  ['an empty file', '', {}],
  ['comments alone', '# jobs: 2\n---\n  # cache: /a\n\n', {}],
  ['a comment and a setting', '# two\njobs: 2\n', { jobs: 2 }],
  ['a folder', undefined, 'ccp: cannot read .ccp.yaml: it is a folder\n  -> name a file'],
  [
    'a relative cache',
    'cache: relative\n',
    'ccp: .ccp.yaml:1:8: cache must be an absolute path, not "relative"',
  ],
  [
    'a mirror that is not a URL',
    'mirrors: { npm: [x] }\n',
    'ccp: .ccp.yaml:1:18: mirrors.npm[0] must be a URL of http:// or https://, not "x"',
  ],
  [
    'mirrors without a host or with an invalid port',
    'mirrors:\n  npm: [http://a.test, http://]\n  git: { "https://g.test/": "https://h:99999/", "git@g:": "git@h:" }\n',
    `ccp: .ccp.yaml:2:24: the mirror is not a valid URL: http://
  -> write it as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH
ccp: .ccp.yaml:3:29: the mirror is not a valid URL: https://h:99999/
  -> write it as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH`,
  ],
])('settings: %s', (_, text, expected) => expect(settingsOf(text)).toEqual(expected));

test('refuses a pipe and an endless file as settings without waiting', () => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  const file = join(root, '.ccp.yaml');
  const textOf = (): string => {
    try {
      return JSON.stringify(readSettings(root, runMemo(), {}));
    } catch (thrown) {
      return errorText(thrown);
    }
  };
  const refused =
    'ccp: cannot read .ccp.yaml: it is not a regular file\n  -> remove it, or name a regular file';
  execFileSync('mkfifo', [file]);
  expect(textOf()).toBe(refused);
  rmSync(file);
  symlinkSync('/dev/zero', file);
  expect(textOf()).toBe(refused);
});

const REFUSED =
  'a workspace cannot set the cache folder (/theirs): ccp runs programs from it\n  -> remove "cache" here; set CCP_CACHE, or "cache" in ROOT/config/ccp/settings.yaml';

test.each<[string, readonly [string, (string | undefined)?, string?], unknown]>([
  [
    'refuses the cache of a workspace',
    ['jobs: 2\ncache: /theirs\n'],
    `ccp: .ccp.yaml:2: ${REFUSED}`,
  ],
  [
    'refuses it with another cache of the user',
    ['cache: /theirs\n', 'cache: /mine\n'],
    `ccp: .ccp.yaml:1: ${REFUSED}`,
  ],
  [
    'accepts the cache that the user named too',
    ['cache: /mine\n', 'cache: /mine\n'],
    { cache: '/mine' },
  ],
  ['accepts the cache that the environment names', ['cache: /mine/\n', undefined, '/mine'], {}],
  [
    "puts the workspace's settings before the user's",
    [
      'jobs: 2\nmirrors: { npm: ["https://one"] }\n',
      'jobs: 3\nmirrors: { npm: ["https://two"], go: ["https://three"] }\n',
    ],
    { jobs: 2, mirrors: { npm: ['https://one'], go: ['https://three'] } },
  ],
  [
    'refuses user settings that change fingerprints',
    ['', 'origin: git\n'],
    expect.stringMatching(/^ccp: ROOT\/config\/ccp\/settings.yaml:1:1: .*unknown key "?origin/),
  ],
])('%s', (_, [workspace, user, cache], expected) =>
  expect(settingsOf(workspace, user, cache)).toEqual(expected),
);

test('runs programs from the cache, or from the default cache if others can write to it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  const [shared, own] = [join(folder, 'shared'), join(folder, 'own')];
  mkdirSync(shared, { mode: 0o755 });
  const env = { CCP_CACHE: shared, XDG_CACHE_HOME: own };
  expect(programFolder({}, env)).toBe(shared);
  chmodSync(shared, 0o777);
  expect([programFolder({}, env), cacheFolder({}, env)]).toEqual([join(own, 'ccp'), shared]);
  mkdirSync(join(own, 'ccp'), { recursive: true });
  chmodSync(own, 0o777);
  expect(() => programFolder({}, env)).toThrow(
    expect.objectContaining({
      code: 'machine-rights',
      message: `the folder of programs ${own}/ccp is not used, because other users could have replaced it: ${own} can be written by everyone (mode 777)`,
    }),
  );
});

test('finds keys in the folder of the settings file that names them', () => {
  const user = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  const root = mkdtempSync(join(tmpdir(), 'ccp-settings-'));
  mkdirSync(join(user, 'ccp'));
  writeFileSync(join(user, 'ccp/settings.yaml'), 'trust: [release.pub, /keys/one.pub]\n');
  const env = { XDG_CONFIG_HOME: user, XDG_CACHE_HOME: '/xdg' };
  try {
    expect(readSettings(root, runMemo(), env).trust).toEqual([
      join(user, 'ccp/release.pub'),
      '/keys/one.pub',
    ]);
    writeFileSync(join(root, '.ccp.yaml'), 'trust: [own.pub]\n');
    expect(readSettings(root, runMemo(), env).trust).toEqual([join(root, 'own.pub')]);
  } finally {
    rmSync(user, { recursive: true });
    rmSync(root, { recursive: true });
  }
});
