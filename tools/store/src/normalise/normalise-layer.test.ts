import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { digestOf, SOURCE_DATE_EPOCH } from '#core';
import { fixtureTar, type FixtureMember } from '../testing/fixture-tar.ts';
import { scanTar } from '../tar/scan-tar.ts';
import type { TarEntry } from '../tar/tar-entry.ts';
import { normaliseLayer, type NormalisedLayer } from './normalise-layer.ts';
import { normaliseSmallLayer } from './normalise-small-layer.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-normalise-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

async function normalise(tar: Uint8Array): Promise<NormalisedLayer & { readonly tar: Buffer; readonly entries: readonly TarEntry[] }> {
  const [input, output] = [join(folder, `${(count += 1)}.in`), join(folder, `${count}.out`)];
  writeFileSync(input, tar);
  const layer = await normaliseLayer({ input, output, limit: 1 << 26 });
  const small = normaliseSmallLayer({ input, output: `${output}.small`, limit: 1 << 26 });
  expect(existsSync(`${output}.small`)).toBe(small !== undefined);
  if (small !== undefined) {
    expect(small).toEqual(layer);
    expect(readFileSync(`${output}.small`)).toEqual(readFileSync(output));
  }
  const bytes = gunzipSync(readFileSync(output));
  expect(digestOf(bytes)).toBe(layer.diffId);
  return { ...layer, tar: bytes, entries: scanBuffer(bytes) };
}

/** Undefined where it is not done in memory. */
function normaliseSmall(tar: Uint8Array, limit = 1 << 26): NormalisedLayer | undefined {
  const input = join(folder, `${(count += 1)}.in`);
  writeFileSync(input, tar);
  return normaliseSmallLayer({ input, output: `${input}.out`, limit });
}

function scanBuffer(tar: Buffer): readonly TarEntry[] {
  return scanTar({ size: tar.length, read: (offset, length) => tar.subarray(offset, offset + length) });
}

const LONG = `usr/${'very-long-folder-name/'.repeat(12)}file`;
const CAPABILITY = '\x01\x00\x00\x02\x00\x04\x00\x00\xff\xfe\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00';
const members: readonly FixtureMember[] = [
  { name: 'usr', type: 'directory', mode: 0o755 },
  { name: 'usr/b', type: 'file', content: 'bytes', mode: 0o4755, uid: 42, gid: 3_000_000, mtime: 1_900_000_000, owner: 'someone' },
  { name: 'usr/old', type: 'file', content: 'old', mtime: 1_000_000_000.5 },
  { name: 'usr/a', type: 'link', target: 'usr/b' },
  { name: 'usr/b-folder', type: 'directory' },
  { name: 'usr/b-folder/.wh..wh..opq', type: 'file' },
  { name: 'usr/b-folder/-first', type: 'file' },
  { name: 'usr/.wh.gone', type: 'file', mtime: 5 },
  { name: 'usr/pipe', type: 'fifo' },
  { name: 'usr/null', type: 'character', major: 1, minor: 3 },
  { name: 'usr/ünï', type: 'symlink', target: 'zïel' },
  { name: LONG, type: 'file', content: 'deep' },
  { name: 'usr/ping', type: 'file', xattrs: { 'security.capability': CAPABILITY, 'user.b': 'x', 'trusted.overlay.origin': 'y' } },
  { name: 'var/log/dpkg.log', type: 'file', content: 'today' },
  { name: 'var/log/.wh.alternatives.log', type: 'file' },
];

describe('normaliseLayer', () => {
  it('writes the members in tree order with whiteouts first and the first name of an inode as its file', async () => {
    const { entries, tar } = await normalise(fixtureTar(members));
    expect(
      entries.map(
        ({ type, path, target }) => `${type} ${Buffer.from(path, 'latin1').toString()}${target && ' -> '}${Buffer.from(target, 'latin1').toString()}`,
      ),
    ).toEqual([
      'directory usr',
      'file usr/.wh.gone',
      'file usr/a',
      'link usr/b -> usr/a',
      'directory usr/b-folder',
      'file usr/b-folder/.wh..wh..opq',
      'file usr/b-folder/-first',
      'character usr/null',
      'file usr/old',
      'file usr/ping',
      'fifo usr/pipe',
      `file ${LONG}`,
      'symlink usr/ünï -> zïel',
    ]);
    const [a, old, ping] = ['usr/a', 'usr/old', 'usr/ping'].map((path) => entries.find((entry) => entry.path === path));
    expect(a).toMatchObject({ mode: 0o4755, uid: 42, gid: 3_000_000, mtime: SOURCE_DATE_EPOCH, size: 5 });
    expect(old).toMatchObject({ mtime: 1_000_000_000, size: 3 });
    expect(ping?.xattrs).toEqual(
      new Map([
        ['security.capability', CAPABILITY],
        ['user.b', 'x'],
      ]),
    );
    expect(tar.includes('someone')).toBe(false);
  });

  it('gives the same bytes whatever the order, times, owners, names of an inode and compression', async () => {
    const one = await normalise(fixtureTar(members));
    const reversed = [...members].reverse().map((member) => swapLink(member));
    const others = [
      fixtureTar([...reversed.filter(({ type }) => type !== 'link'), ...reversed.filter(({ type }) => type === 'link')], { shift: 86_400, owner: 'another' }),
      fixtureTar(members, { format: 'gnu' }),
      gzipSync(fixtureTar(members)),
      zstdCompressSync(fixtureTar(members)),
    ];
    expect(one.unpacked).toBeGreaterThan(10_000);
    for (const other of others) expect(await normalise(other)).toMatchObject({ diffId: one.diffId, digest: one.digest });
    expect((await normalise(fixtureTar([...members, { name: 'usr/more', type: 'file' }]))).diffId).not.toBe(one.diffId);
  });

  it('changes nothing when it is applied again', async () => {
    const one = await normalise(fixtureTar(members));
    expect(await normalise(one.tar)).toMatchObject({ original: one.diffId, diffId: one.diffId, digest: one.digest });
  });

  it('is read by GNU tar as it was meant', async () => {
    const { tar } = await normalise(fixtureTar(members));
    const listing = execFileSync('tar', ['-tvf', '-', '--numeric-owner', '--full-time', '--utc', '--xattrs', '--quoting-style=literal'], {
      input: tar,
      encoding: 'utf8',
    });
    expect(listing).toContain('-rwsr-xr-x  42/3000000        5 2026-01-01 00:00:00 usr/a');
    expect(listing).toContain('hrwsr-xr-x  42/3000000        0 2026-01-01 00:00:00 usr/b link to usr/a');
    expect(listing).toContain('usr/ünï -> zïel');
    expect(listing).toContain(LONG);
  });

  it('gives every name of an inode its capabilities, which an engine loses where it sets the owner of a later one', async () => {
    const xattrs = { 'security.capability': CAPABILITY };
    const { entries, tar } = await normalise(
      fixtureTar([
        { name: 'ping', type: 'file', content: 'x', xattrs },
        { name: 'also', type: 'link', target: 'ping' },
      ]),
    );
    expect(entries).toMatchObject(['file also', 'link ping'].map((told) => ({ type: told.split(' ')[0], xattrs: new Map(Object.entries(xattrs)) })));
    expect(await normalise(tar)).toMatchObject({ diffId: digestOf(tar) });
  });

  it('keeps what only looks like a backup of an account file', async () => {
    const { entries } = await normalise(fixtureTar(['etc/passwd-', 'etc/keep-'].map((name) => ({ name, type: 'file' }))));
    expect(entries.map(({ path }) => path)).toEqual(['etc/keep-']);
  });

  it('fills the holes of sparse files', async () => {
    const plain = join(folder, 'sparse');
    execFileSync('sh', ['-c', `truncate -s 1M ${plain} && printf end >> ${plain}`]);
    const pack = (...flags: string[]): Buffer => execFileSync('tar', ['-c', '-C', folder, ...flags, '--mtime=@0', 'sparse'], { maxBuffer: 1 << 24 });
    const full = await normalise(pack());
    expect(full.entries[0]).toMatchObject({ size: (1 << 20) + 3 });
    for (const flags of [
      ['--sparse', '--format=gnu'],
      ['--sparse', '--format=posix'],
    ]) {
      expect(pack(...flags).length).toBeLessThan(100_000);
      expect((await normalise(pack(...flags))).diffId).toBe(full.diffId);
    }
  });

  it('knows a layer in which nothing is left', async () => {
    expect(await normalise(fixtureTar([{ name: 'var/log/dpkg.log', type: 'file', content: 'x' }]))).toMatchObject({ empty: true, unpacked: 1024 });
  });

  it.each<[string, Buffer, string]>([
    ['leaves the root', fixtureTar([{ name: 'a/../../b', type: 'file' }]), 'the name "a/../../b" leads out of the image (at byte 0)'],
    [
      'lies below a file',
      fixtureTar([
        { name: 'a', type: 'file' },
        { name: 'a/b', type: 'file' },
      ]),
      '"a/b" lies below "a", which is no directory (at byte 0)',
    ],
    [
      'links forward',
      fixtureTar([
        { name: 'a', type: 'link', target: 'b' },
        { name: 'b', type: 'file' },
      ]),
      '"a" is a hard link to what comes later (at byte 0)',
    ],
    ['is cut', fixtureTar([{ name: 'a', type: 'file', content: 'x'.repeat(5000) }]).subarray(0, 2048), 'its end is missing (at byte 0)'],
    ['is no tar', Buffer.alloc(1024, 'x'), 'a number field holds "xxxxxxxx" (at byte 0)'],
    ['is broken gzip', gzipSync(fixtureTar([{ name: 'a', type: 'file' }])).fill(9, 12, 40), 'it cannot be decompressed, '],
  ])('refuses a layer that %s', async (_, tar, reason) => {
    const message = `the layer is not a tar that can be normalised: ${reason}`;
    await expect(normalise(tar)).rejects.toThrow(message);
    if (reason.startsWith('it cannot be decompressed')) expect(normaliseSmall(tar)).toBeUndefined();
    else expect(() => normaliseSmall(tar)).toThrow(message);
  });

  it('takes only small layers in memory', () => {
    const tar = fixtureTar(members);
    for (const bytes of [tar, gzipSync(tar), zstdCompressSync(tar)]) expect(normaliseSmall(bytes)).toMatchObject({ empty: false });
    expect(normaliseSmall(tar, 1000)).toBeUndefined();
    const large = fixtureTar([{ name: 'a', type: 'file', content: 'x'.repeat(1 << 18) }]);
    for (const bytes of [large, gzipSync(large), zstdCompressSync(large)]) expect(normaliseSmall(bytes)).toBeUndefined();
  });
});

function swapLink(member: FixtureMember): FixtureMember {
  const name = { 'usr/a': 'usr/b', 'usr/b': 'usr/a' }[member.name] ?? member.name;
  return { ...member, name, ...(member.type === 'link' ? { target: 'usr/a' } : {}) };
}
