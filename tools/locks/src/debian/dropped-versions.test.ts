import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { imageName, series } from '#core';
import { fetchControls, openCache, openMirrors, type Cache } from '#fetch';
import { debianMirror, type DebianMirror } from '../../../../tests/helpers/debian/debian-mirror.ts';
import { testPackage, type TestPackage } from '../../../../tests/helpers/debian/test-package.ts';
import { openDebianResolver } from './debian-resolver.ts';

/** Debian packages are resolved with apt, which only Debian has. */
const NO_APT = !existsSync('/usr/bin/apt-get');

/** A source package `glibc`, and packages that need it. */
const libc = (version: string): Promise<TestPackage> =>
  testPackage('libc6', version, { source: 'glibc' });
const libcDev = (version: string): Promise<TestPackage> =>
  testPackage('libc6-dev', version, {
    source: 'glibc',
    fields: [`Depends: libc6 (= ${version})`],
  });
const server = (version: string): Promise<TestPackage> =>
  testPackage('server', version, { fields: ['Depends: libc6 (>= 1)'] });
const compiler = (): Promise<TestPackage> =>
  testPackage('compiler', '9', { fields: ['Depends: libc6-dev'] });

let folder: string;
let mirror: DebianMirror;
let cache: Cache;
let notes: string[];

beforeEach(async () => {
  // A blank in the path of the cache.
  folder = mkdtempSync(join(tmpdir(), 'ccp dropped-'));
  mirror = await debianMirror(['trixie'], mkdtempSync(join(tmpdir(), 'ccp-keyring-')));
  cache = openCache({ folder: join(folder, 'cache') });
  notes = [];
});
afterEach(async () => {
  await mirror.close();
  for (const each of [folder, join(mirror.keyring, '..')]) rmSync(each, { recursive: true });
});

/** Resolves packages on top of a parent; `known` are packages of other locks. */
async function lock(
  packages: readonly string[],
  parent: readonly TestPackage[],
  {
    known = [],
    keep = [],
    keyring = mirror.keyring,
  }: {
    readonly known?: readonly TestPackage[];
    readonly keep?: readonly TestPackage[];
    readonly keyring?: string;
  } = {},
): Promise<string[]> {
  const mirrors = openMirrors({ debian: [mirror.url], debianSecurity: [mirror.url] });
  const resolver = openDebianResolver({
    suite: 'trixie',
    series: series('2026.1'),
    debian: [mirror.url],
    debianSecurity: [mirror.url],
    keyring,
    cache: folder,
    scratch: mkdtempSync(join(folder, 'scratch-')),
    onLists: () => undefined,
    controls: (items) =>
      fetchControls(
        cache,
        items.map((item) => ({ kind: 'debian', ...item })),
        { mirrors, retry: { attempts: 1, firstMs: 1 } },
      ),
    known: () => known.map(({ locked }) => locked),
  });
  const chosen = await resolver.resolve({
    title: 'leaf runtime',
    packages,
    alone: false,
    below: parent.map(({ locked }) => ({ ...locked, image: imageName('base') })),
    keep: keep.map(({ locked }) => locked),
    note: (detail) => void notes.push(detail),
  });
  return chosen.map(({ name, version }) => `${name} ${version}`);
}

describe.skipIf(NO_APT)('a parent with a version that the lists dropped', () => {
  it('is read from the pool', async () => {
    const [old, next] = [await libc('1'), await libc('2')];
    mirror.keepInPool([old]);
    mirror.publish([next, await server('2')]);
    expect(await lock(['server'], [old])).toEqual(['server 2']);
    expect(cache.sizeOf(old.locked.sha256)).toBe(old.locked.size);
    expect(notes).toEqual([]);
  });

  it('is read from the cache, and later from the stanza cache', async () => {
    const old = await libc('1');
    await cache.put([await old.read()]);
    mirror.publish([await libc('2'), await server('2')]);
    expect(await lock(['server'], [old])).toEqual(['server 2']);
    rmSync(cache.folder, { recursive: true });
    expect(await lock(['server'], [old])).toEqual(['server 2']);
  });

  it('is refused if the pool has other bytes', async () => {
    const old = await libc('1');
    const forged = { ...old, read: async () => Buffer.alloc(old.locked.size) };
    mirror.keepInPool([forged]);
    mirror.publish([await libc('2'), await server('2')]);
    await expect(lock(['server'], [old])).rejects.toMatchObject({
      code: 'debian-version-gone',
      message: expect.stringMatching(
        /^leaf runtime is based on versions that the mirror no longer lists, and a package cannot be read:\n- libc6 1 \(lock of base\)\n/,
      ),
      hint: 'update the locks that list these versions: "ccp lock base --update"',
    });
  });

  it('is refused if it is nowhere', async () => {
    mirror.publish([await libc('2'), await server('2')]);
    await expect(lock(['server'], [await libc('1')])).rejects.toMatchObject({
      code: 'debian-version-gone',
      hint: 'update the locks that list these versions: "ccp lock base --update"',
    });
  });
});

describe.skipIf(NO_APT)('a package that needs its sibling in the same version', () => {
  it('is chosen in the version of the parent from another lock', async () => {
    const [old, oldDev] = [await libc('1'), await libcDev('1')];
    mirror.keepInPool([old, oldDev]);
    mirror.publish([await libc('2'), await libcDev('2'), await compiler()]);
    const known = { known: [old, oldDev] };
    expect(await lock(['compiler'], [old], known)).toEqual(['compiler 9', 'libc6-dev 1']);
    expect(notes).toEqual(['libc6-dev 1 is chosen to fit the version that a parent locks']);
  });

  it('is chosen in the version of the parent from the lists', async () => {
    const [old, oldDev] = [await libc('1'), await libcDev('1')];
    mirror.publish([old, oldDev, await libc('2'), await libcDev('2'), await compiler()]);
    expect(await lock(['compiler'], [old])).toEqual(['compiler 9', 'libc6-dev 1']);
  });

  it('is chosen in the version of the parent from the stanza cache', async () => {
    const [old, oldDev] = [await libc('1'), await libcDev('1')];
    mirror.publish([old, oldDev, await compiler()]);
    await lock(['compiler'], [old]);
    mirror.keepInPool([old, oldDev]);
    mirror.publish([await libc('2'), await libcDev('2'), await compiler()]);
    expect(await lock(['compiler'], [old], { keep: [oldDev] })).toEqual([
      'compiler 9',
      'libc6-dev 1',
    ]);
  });

  it('is refused with the packages that conflict if its version is gone', async () => {
    const old = await libc('1');
    mirror.keepInPool([old]);
    mirror.publish([await libc('2'), await libcDev('2'), await compiler()]);
    await expect(lock(['compiler'], [old])).rejects.toMatchObject({
      code: 'debian-conflict',
      message:
        'leaf runtime needs newer packages than its parents lock:\n- libc6-dev 2 needs libc6 (= 2); the lock of base has libc6 1',
      hint: 'update the locks of its parents, then run this command again: "ccp lock base --update --series 2026.1"',
    });
  });

  it('is refused if only its stanza is left', async () => {
    const [old, oldDev] = [await libc('1'), await libcDev('1')];
    mirror.publish([old, oldDev, await compiler()]);
    await lock(['compiler'], [old]);
    mirror.publish([await libc('2'), await libcDev('2'), await compiler()]);
    await expect(lock(['compiler'], [old])).rejects.toMatchObject({ code: 'debian-conflict' });
  });
});

it.skipIf(NO_APT)('fails with the message of apt if no parent is at fault', async () => {
  const old = await libc('1');
  mirror.keepInPool([old]);
  mirror.publish([await libc('2')]);
  await expect(lock(['nothing'], [old])).rejects.toMatchObject({
    code: 'debian-unresolvable',
    message:
      'apt cannot resolve the packages of leaf runtime:\nE: Unable to locate package nothing',
  });
});

describe.skipIf(NO_APT)('a keyring of the settings', () => {
  it('is required to exist', async () => {
    await expect(lock(['server'], [], { keyring: '/nonexistent.gpg' })).rejects.toMatchObject({
      code: 'debian-keyring-missing',
      message: '/nonexistent.gpg does not exist',
      hint: 'correct "mirrors.debianKeyring" in the settings',
    });
  });

  it('is refused if it is a device', async () => {
    await expect(lock(['server'], [], { keyring: '/dev/zero' })).rejects.toMatchObject({
      code: 'file-unreadable',
    });
  });

  it('is refused if its path has a blank', async () => {
    const keyring = join(folder, 'own.gpg');
    writeFileSync(keyring, 'x');
    await expect(lock(['server'], [], { keyring })).rejects.toMatchObject({
      code: 'debian-keyring-missing',
      message: `${JSON.stringify(keyring)} is not a path that apt accepts`,
    });
  });

  it('does not accept lists that another key signed', async () => {
    mirror.publish([await server('2')]);
    const other = await debianMirror(['trixie'], mkdtempSync(join(tmpdir(), 'ccp-keyring-')));
    await expect(lock(['server'], [], { keyring: other.keyring })).rejects.toMatchObject({
      code: 'debian-mirror-failed',
    });
    await other.close();
  });
});
