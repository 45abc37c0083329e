import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sha256 } from '#core';
import { openPackageLists, parseStanza } from './package-lists.ts';
import {
  installedStatus,
  parsePrintedUris,
  pinnedPreferences,
  resolveStage,
} from './resolve-stage.ts';
import { openStanzaCache } from './stanza-cache.ts';
import { mirrorPairs, type AptRoot } from './apt-root.ts';

const A = 'a'.repeat(64) as Sha256;
const B = 'b'.repeat(64) as Sha256;
const stanza = (name: string, hash: string, pool = `pool/main/x/${name}_1_amd64.deb`): string =>
  `Package: ${name}\nVersion: 1:2\nArchitecture: amd64\nDepends: libc6\nFilename: ${pool}\nSize: 5\nSHA256: ${hash}`;

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-apt-'))));
afterEach(() => rmSync(folder, { recursive: true }));

it('tries mirrors in order, each with every security mirror', () => {
  const pairs = mirrorPairs({ debian: ['a', 'b'], debianSecurity: ['x', 'y'] });
  expect(pairs.map(({ debian, debianSecurity }) => debian + debianSecurity)).toEqual([
    'ax',
    'ay',
    'bx',
    'by',
  ]);
});

describe('the output of apt', () => {
  it('identifies files by SHA-256', () => {
    const printed = `Reading lists\n'http://mirror.example/debian/pool/main/a/apt_3%2b1_amd64.deb' apt_3+1_amd64.deb 12 SHA256:${A}\n`;
    expect(parsePrintedUris(printed)).toEqual([A]);
  });

  it.each(["'http://m/x.deb' x.deb 12 MD5Sum:0", "'http://m/x.deb' x.deb 12 "])(
    'is refused without a SHA-256: %s',
    (line) => {
      expect(() => parsePrintedUris(line)).toThrow('apt printed a file without a SHA-256');
    },
  );
});

describe('package lists', () => {
  it('finds a stanza by hash, with the archive that keeps it longest', () => {
    writeFileSync(
      join(folder, 'm_debian-security_dists_trixie-security_main_binary-amd64_Packages'),
      `${stanza('both', A)}\n\n${stanza('fix', B)}\n`,
    );
    writeFileSync(
      join(folder, 'm_debian_dists_trixie_main_binary-amd64_Packages'),
      `${stanza('first', 'c'.repeat(64))}\n\n${stanza('both', A)}\n\n`,
    );
    const lists = openPackageLists(folder);
    expect(lists.find(A)!.package).toEqual({
      name: 'both',
      version: '1:2',
      architecture: 'amd64',
      sha256: A,
      size: 5,
      archive: 'debian',
      pool: 'pool/main/x/both_1_amd64.deb',
    });
    expect(lists.find(A)!.stanza).toBe(stanza('both', A));
    expect(lists.find(B)!.package.archive).toBe('debian-security');
    expect(lists.find('d'.repeat(64) as Sha256)).toBeUndefined();
  });

  it.each([
    [
      stanza('x', A, 'pool/../../etc/x.deb'),
      'a Debian package list has an invalid file name: "pool/../../etc/x.deb"',
    ],
    [stanza('x', A).replace('Size: 5\n', ''), 'a stanza of a Debian package list has no Size'],
  ])('are validated', (text, message) => {
    expect(() => parseStanza(text, 'debian')).toThrow(message);
  });

  it('keeps package lists in the stanza cache', () => {
    const cache = openStanzaCache(folder);
    const entry = parseStanza(stanza('x', A), 'debian-security');
    cache.keep(entry);
    expect(cache.find(entry.package)).toEqual(entry);
    expect(cache.find({ ...entry.package, sha256: B })).toBeUndefined();
  });
});

describe('a stage', () => {
  const below = parseStanza(stanza('libc6', B), 'debian');
  const answering = (
    stdout: string,
    exitCode = 0,
  ): AptRoot & {
    readonly seen: { args: readonly string[]; status: string; preferences: string }[];
  } => {
    const seen: { args: readonly string[]; status: string; preferences: string }[] = [];
    return {
      lists: folder,
      offer: async () => undefined,
      seen,
      aptGet: async (args, state) => {
        seen.push({ args, ...state });
        return {
          exitCode,
          stdout,
          stderr: exitCode === 0 ? '' : 'E: Unable to locate package nothing',
        };
      },
    };
  };
  const lists = {
    find: (hash: Sha256) =>
      hash === A ? parseStanza(stanza('memcached', A), 'debian') : hash === B ? below : undefined,
  };
  const request = {
    title: 'memcached runtime',
    packages: ['memcached'],
    alone: false,
    installed: [below],
    keep: [{ ...below.package, name: 'memcached', version: '1' }],
  };

  it('is resolved with pinned packages of its parents', async () => {
    const root = answering(`'u' f 5 SHA256:${A}\n`);
    expect((await resolveStage(root, lists, request)).map(({ name }) => name)).toEqual([
      'memcached',
    ]);
    expect(root.seen).toEqual([
      {
        args: ['-q', '--print-uris', '--no-remove', 'install', '--', 'memcached'],
        status: installedStatus([below.stanza]),
        preferences: pinnedPreferences([below.package, { name: 'memcached', version: '1' }]),
      },
    ]);
    expect(root.seen[0]!.status).toMatch(
      /^Package: libc6\nStatus: install ok installed\nVersion: 1:2\n/,
    );
    expect(root.seen[0]!.preferences).toContain(
      'Package: libc6\nPin: version 1:2\nPin-Priority: 1001\n',
    );
  });

  it('omits dependencies on request', async () => {
    const root = answering(`'u' f 5 SHA256:${A}\n`);
    await resolveStage(root, lists, { ...request, alone: true });
    expect(root.seen[0]!.args).toEqual([
      '-q',
      '--print-uris',
      '--no-remove',
      'download',
      '--',
      'memcached',
    ]);
  });

  it('must not replace packages of its parent', async () => {
    await expect(resolveStage(answering(`'u' f 5 SHA256:${B}\n`), lists, request)).rejects.toThrow(
      'memcached runtime would replace packages of its parent: libc6 1:2',
    );
  });

  it("fails with apt's message", async () => {
    await expect(resolveStage(answering('', 100), lists, request)).rejects.toThrow(
      /^apt cannot resolve the packages of memcached runtime:\nE: Unable to locate package nothing$/,
    );
    const conflict =
      'The following packages have unmet dependencies:\n postfix : Conflicts: mail-transport-agent\n';
    await expect(
      resolveStage(
        answering(
          `Reading package lists...\nBuilding dependency tree...\nSome packages could not be installed. This may mean that\n\n${conflict}`,
          100,
        ),
        lists,
        request,
      ),
    ).rejects.toThrow(`memcached runtime:\n${conflict}E: Unable`);
  });
});
