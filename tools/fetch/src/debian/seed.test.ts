import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Sha256 } from '#core';
import type { TarEntry, TarHeader } from '#formats/tar';
import { readStream, tarList, tarRead } from '../../../formats/src/testing/tar-list.ts';
import type { Cache } from '../cache/cache.ts';
import { openCache } from '../cache/open-cache.ts';
import { arArchive, sampleDeb } from '../testing/sample-deb.ts';
import { debData } from './deb-data.ts';
import { seedOf } from './seed.ts';

const AT = '2026-01-01 00:00:00';
const COMMON = { mode: 0o755, uid: 0, gid: 0, size: 0, mtime: 1_767_225_600 } as const;

function folder(path: string, changes: Partial<TarHeader> = {}): TarEntry {
  return { header: { ...COMMON, type: 'directory', path: `./${path}`, ...changes } };
}
function file(path: string, text: string, changes: Partial<TarHeader> = {}): TarEntry {
  return {
    header: { ...COMMON, type: 'file', path: `./${path}`, size: text.length, ...changes },
    data: [Buffer.from(text)],
  };
}
function link(path: string, target: string, type: 'symlink' | 'hardlink' = 'symlink'): TarEntry {
  return { header: { ...COMMON, type, path: `./${path}`, target } };
}

let cache: Cache;
beforeEach(() => {
  cache = openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });
});

async function seed(...debs: readonly Buffer[]): Promise<Buffer> {
  const hashes: Sha256[] = [];
  for (const deb of debs) hashes.push((await cache.put([deb])).sha256);
  return readStream(cache.open((await seedOf(cache, hashes)).sha256));
}

describe('debData', () => {
  it.each([
    ['data.tar', (tar: Buffer) => tar],
    ['data.tar.gz', (tar: Buffer) => gzipSync(tar)],
    ['data.tar.zst', (tar: Buffer) => zstdCompressSync(tar)],
    [
      'data.tar.xz',
      (tar: Buffer) =>
        execFileSync('xz', ['--compress', '--check=crc64', '--stdout'], { input: tar }),
    ],
  ])('unpacks %s', async (name, pack) => {
    const deb = await sampleDeb([file('a', 'text')], name, pack);
    expect(tarRead(await readStream(debData(deb)), './a')).toBe('text');
  });

  it.each([
    ['no ar archive', Buffer.from('PK\x03\x04'), 'it is not an ar archive'],
    [
      'a cut one',
      arArchive({ 'debian-binary': Buffer.from('2.0\n') }).subarray(0, -1),
      'the ar archive is cut or damaged',
    ],
    [
      'another format',
      arArchive({ 'debian-binary': Buffer.from('3.0\n') }),
      'it is not a Debian package of format 2',
    ],
    ['no files', arArchive({ 'debian-binary': Buffer.from('2.0\n') }), 'it has no data.tar member'],
    [
      'an unknown packing',
      arArchive({ 'debian-binary': Buffer.from('2.0\n'), 'data.tar.lzma': Buffer.from('x') }),
      'the compression of data.tar.lzma is not supported',
    ],
  ])('refuses %s', async (_, bytes, message) => {
    await expect(readStream(debData(bytes))).rejects.toThrow(message);
  });
});

describe('seedOf', () => {
  it('merges packages into one system with a merged /usr', async () => {
    const first = await sampleDeb([
      folder(''),
      folder('bin'),
      file('bin/sh', 'dash'),
      link('bin/hard', './bin/sh', 'hardlink'),
      folder('usr'),
      folder('usr/bin'),
      file('usr/bin/su', 'su', { mode: 0o4755 }),
      folder('lib64'),
      link('lib64/ld.so', '../lib/ld.so'),
      folder('var/mail', { mode: 0o2775, gid: 8 }),
    ]);
    const second = await sampleDeb([
      link('bin', 'usr/bin'),
      link('lib32', 'usr/lib32'),
      folder('usr/bin', { mode: 0o700 }),
      folder('var/mail'),
      file('usr/bin/sh', 'bash'),
    ]);
    const tar = await seed(first, second);
    const zero = '1970-01-01 00:00:00';
    expect(tarList(tar)).toEqual([
      `drwxr-xr-x 0/0 0 ${zero} usr/`,
      `drwxr-xr-x 0/0 0 ${zero} usr/bin/`,
      `lrwxrwxrwx 0/0 0 ${zero} bin -> usr/bin`,
      `drwxr-xr-x 0/0 0 ${zero} usr/lib/`,
      `lrwxrwxrwx 0/0 0 ${zero} lib -> usr/lib`,
      `drwxr-xr-x 0/0 0 ${zero} usr/lib64/`,
      `lrwxrwxrwx 0/0 0 ${zero} lib64 -> usr/lib64`,
      `drwxr-xr-x 0/0 0 ${zero} usr/sbin/`,
      `lrwxrwxrwx 0/0 0 ${zero} sbin -> usr/sbin`,
      `-rwxr-xr-x 0/0 4 ${AT} usr/bin/sh`,
      `hrwxr-xr-x 0/0 0 ${AT} usr/bin/hard link to usr/bin/sh`,
      `-rwsr-xr-x 0/0 2 ${AT} usr/bin/su`,
      `lrwxr-xr-x 0/0 0 ${AT} usr/lib64/ld.so -> ../lib/ld.so`,
      `drwxrwsr-x 0/8 0 ${AT} var/mail/`,
      `lrwxrwxrwx 0/0 0 ${zero} lib32 -> usr/lib32`,
      `-rwxr-xr-x 0/0 4 ${AT} usr/bin/sh`,
    ]);
  });

  it('is built once for a list, and again after its bytes were removed', async () => {
    const deb = await sampleDeb([file('a', 'a')]);
    const { sha256: hash } = await cache.put([deb]);
    const entry = await seedOf(cache, [hash]);
    await cache.prune({ keep: new Set([entry.sha256]), olderThanMs: -1 });
    expect(await seedOf(cache, [hash])).toEqual(entry);
    await cache.prune({ olderThanMs: -1 });
    await expect(seedOf(cache, [hash])).rejects.toMatchObject({ code: 'cache-missing' });
    await cache.put([deb]);
    expect(await seedOf(cache, [hash])).toEqual(entry);
  });

  it.each([
    [
      'a path that leads out of the root',
      [file('../../etc/passwd', 'x')],
      '../../etc/passwd leads out of the root',
    ],
    ['a hard link that leaves it', [link('a', '../x', 'hardlink')], '../x leads out of the root'],
  ])('refuses %s', async (_, entries, message) => {
    await expect(seed(await sampleDeb(entries))).rejects.toThrow(message);
  });

  it('refuses a package whose files are damaged, naming it', async () => {
    const deb = await sampleDeb([file('a', 'a')], 'data.tar.gz', (tar) =>
      gzipSync(tar).subarray(0, -20),
    );
    const { sha256: hash } = await cache.put([deb]);
    await expect(seedOf(cache, [hash])).rejects.toMatchObject({
      code: 'package-invalid',
      message: `the package ${hash} cannot be unpacked: unexpected end of file`,
    });
    expect(existsSync(join(cache.folder, 'derived'))).toBe(false);
  });
});
