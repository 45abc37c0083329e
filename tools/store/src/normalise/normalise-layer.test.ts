import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { digestOf, SOURCE_DATE_EPOCH } from '#core';
import { scanTar, type TarMember } from '#formats/tar';
import { fixtureTar, type FixtureMember } from '../testing/fixture-tar.ts';
import { normaliseLayer, type NormalisedLayer } from './normalise-layer.ts';
import { normaliseSmallLayer } from './normalise-small-layer.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-normalise-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

async function normalise(
  tar: Uint8Array,
): Promise<NormalisedLayer & { readonly tar: Buffer; readonly entries: readonly TarMember[] }> {
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

/** Undefined if the layer is not normalised in memory. */
function normaliseSmall(tar: Uint8Array, limit = 1 << 26): NormalisedLayer | undefined {
  const input = join(folder, `${(count += 1)}.in`);
  writeFileSync(input, tar);
  return normaliseSmallLayer({ input, output: `${input}.out`, limit });
}

function scanBuffer(tar: Buffer): readonly TarMember[] {
  return scanTar({
    size: tar.length,
    read: (offset, length) => tar.subarray(offset, offset + length),
  });
}

const LONG = `usr/${'very-long-folder-name/'.repeat(12)}file`;
const CAPABILITY =
  '\x01\x00\x00\x02\x00\x04\x00\x00\xff\xfe\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00';
const members: readonly FixtureMember[] = [
  { name: 'usr', type: 'directory', mode: 0o755 },
  {
    name: 'usr/b',
    type: 'file',
    content: 'bytes',
    mode: 0o4755,
    uid: 42,
    gid: 3_000_000,
    mtime: 1_900_000_000,
    owner: 'someone',
  },
  { name: 'usr/old', type: 'file', content: 'old', mtime: 1_000_000_000.5 },
  { name: 'usr/a', type: 'link', target: 'usr/b' },
  { name: 'usr/b-folder', type: 'directory' },
  { name: 'usr/b-folder/.wh..wh..opq', type: 'file' },
  { name: 'usr/b-folder/-first', type: 'file' },
  { name: 'usr/.wh.gone', type: 'file', mtime: 5 },
  { name: 'usr/pipe', type: 'fifo' },
  { name: 'usr/ünï', type: 'symlink', target: 'zïel' },
  { name: LONG, type: 'file', content: 'deep' },
  {
    name: 'usr/ping',
    type: 'file',
    xattrs: { 'security.capability': CAPABILITY, 'user.b': 'x', 'trusted.overlay.origin': 'y' },
  },
  { name: 'var/log/dpkg.log', type: 'file', content: 'today' },
  { name: 'var/log/.wh.alternatives.log', type: 'file' },
];

describe('normaliseLayer', () => {
  it('writes members in tree order, whiteouts first, and the first name of an inode as the file', async () => {
    const { entries, tar } = await normalise(fixtureTar(members));
    expect(
      entries.map(
        ({ type, path, target }) =>
          `${type} ${Buffer.from(path, 'latin1').toString()}${target && ' -> '}${Buffer.from(target, 'latin1').toString()}`,
      ),
    ).toEqual([
      'directory usr',
      'file usr/.wh.gone',
      'file usr/a',
      'link usr/b -> usr/a',
      'directory usr/b-folder',
      'file usr/b-folder/.wh..wh..opq',
      'file usr/b-folder/-first',
      'file usr/old',
      'file usr/ping',
      'fifo usr/pipe',
      `file ${LONG}`,
      'symlink usr/ünï -> zïel',
    ]);
    const [a, old, ping] = ['usr/a', 'usr/old', 'usr/ping'].map((path) =>
      entries.find((entry) => entry.path === path),
    );
    expect(a).toMatchObject({
      mode: 0o4755,
      uid: 42,
      gid: 3_000_000,
      mtime: SOURCE_DATE_EPOCH,
      size: 5,
    });
    expect(old).toMatchObject({ mtime: 1_000_000_000, size: 3 });
    expect(ping?.xattrs).toEqual(
      new Map([
        ['security.capability', CAPABILITY],
        ['user.b', 'x'],
      ]),
    );
    expect(tar.includes('someone')).toBe(false);
  });

  it('writes the same bytes for any order, times, owners, inode names and compression', async () => {
    const one = await normalise(fixtureTar(members));
    const reversed = [...members].reverse().map((member) => swapLink(member));
    const others = [
      fixtureTar(
        [
          ...reversed.filter(({ type }) => type !== 'link'),
          ...reversed.filter(({ type }) => type === 'link'),
        ],
        { shift: 86_400, owner: 'another' },
      ),
      fixtureTar(members, { format: 'gnu' }),
      gzipSync(fixtureTar(members)),
      zstdCompressSync(fixtureTar(members)),
    ];
    expect(one.unpacked).toBeGreaterThan(10_000);
    for (const other of others)
      expect(await normalise(other)).toMatchObject({ diffId: one.diffId, digest: one.digest });
    expect(
      (await normalise(fixtureTar([...members, { name: 'usr/more', type: 'file' }]))).diffId,
    ).not.toBe(one.diffId);
  });

  it('is idempotent', async () => {
    const one = await normalise(fixtureTar(members));
    expect(await normalise(one.tar)).toMatchObject({
      original: one.diffId,
      diffId: one.diffId,
      digest: one.digest,
    });
  });

  it('writes a layer that GNU tar reads correctly', async () => {
    const { tar } = await normalise(fixtureTar(members));
    const listing = execFileSync(
      'tar',
      [
        '-tvf',
        '-',
        '--numeric-owner',
        '--full-time',
        '--utc',
        '--xattrs',
        '--quoting-style=literal',
      ],
      {
        input: tar,
        encoding: 'utf8',
      },
    );
    expect(listing).toContain('-rwsr-xr-x  42/3000000        5 2026-01-01 00:00:00 usr/a');
    expect(listing).toContain(
      'hrwsr-xr-x  42/3000000        0 2026-01-01 00:00:00 usr/b link to usr/a',
    );
    expect(listing).toContain('usr/ünï -> zïel');
    expect(listing).toContain(LONG);
  });

  it('writes capabilities for each name of an inode, since engines drop them when setting owners', async () => {
    const xattrs = { 'security.capability': CAPABILITY };
    const { entries, tar } = await normalise(
      fixtureTar([
        { name: 'ping', type: 'file', content: 'x', xattrs },
        { name: 'also', type: 'link', target: 'ping' },
      ]),
    );
    expect(entries).toMatchObject(
      ['file also', 'link ping'].map((line) => ({
        type: line.split(' ')[0],
        xattrs: new Map(Object.entries(xattrs)),
      })),
    );
    expect(await normalise(tar)).toMatchObject({ diffId: digestOf(tar) });
  });

  it('keeps files that only look like backups of account files', async () => {
    const { entries } = await normalise(
      fixtureTar(['etc/passwd-', 'etc/keep-'].map((name) => ({ name, type: 'file' }))),
    );
    expect(entries.map(({ path }) => path)).toEqual(['etc/keep-']);
  });

  it('fills the holes of sparse files', async () => {
    const plain = join(folder, 'sparse');
    execFileSync('sh', ['-c', `truncate -s 1M ${plain} && printf end >> ${plain}`]);
    const pack = (...flags: string[]): Buffer =>
      execFileSync('tar', ['-c', '-C', folder, ...flags, '--mtime=@0', 'sparse'], {
        maxBuffer: 1 << 24,
      });
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

  it('reports a layer as empty if no member is left', async () => {
    expect(
      await normalise(fixtureTar([{ name: 'var/log/dpkg.log', type: 'file', content: 'x' }])),
    ).toMatchObject({ empty: true, unpacked: 1024 });
  });

  it.each<[string, Buffer, string]>([
    [
      'has a path outside the root',
      fixtureTar([{ name: 'a/../../b', type: 'file' }]),
      'the name "a/../../b" points outside the image (at byte 0)',
    ],
    [
      'has a member below a file',
      fixtureTar([
        { name: 'a', type: 'file' },
        { name: 'a/b', type: 'file' },
      ]),
      '"a/b" is below "a", which is not a directory (at byte 0)',
    ],
    [
      'has a hard link to a later member',
      fixtureTar([
        { name: 'a', type: 'link', target: 'b' },
        { name: 'b', type: 'file' },
      ]),
      '"a" is a hard link to "b", which does not precede it in the layer (at byte 0)',
    ],
    [
      'is truncated',
      fixtureTar([{ name: 'a', type: 'file', content: 'x'.repeat(5000) }]).subarray(0, 2048),
      'it is truncated (at byte 0)',
    ],
    ['is not a tar', Buffer.alloc(1024, 'x'), 'a number field contains "xxxxxxxx" (at byte 0)'],
    [
      'is invalid gzip',
      gzipSync(fixtureTar([{ name: 'a', type: 'file' }])).fill(9, 12, 40),
      'decompression failed: ',
    ],
  ])('refuses a layer that %s', async (_, tar, reason) => {
    const message = `the layer cannot be normalised: ${reason}`;
    await expect(normalise(tar)).rejects.toThrow(message);
    if (reason.startsWith('decompression failed')) expect(normaliseSmall(tar)).toBeUndefined();
    else expect(() => normaliseSmall(tar)).toThrow(message);
  });

  it('normalises only small layers in memory', () => {
    const tar = fixtureTar(members);
    for (const bytes of [tar, gzipSync(tar), zstdCompressSync(tar)])
      expect(normaliseSmall(bytes)).toMatchObject({ empty: false });
    expect(normaliseSmall(tar, 1000)).toBeUndefined();
    const large = fixtureTar([{ name: 'a', type: 'file', content: 'x'.repeat(1 << 18) }]);
    for (const bytes of [large, gzipSync(large), zstdCompressSync(large)])
      expect(normaliseSmall(bytes)).toBeUndefined();
  });
});

function swapLink(member: FixtureMember): FixtureMember {
  const name = { 'usr/a': 'usr/b', 'usr/b': 'usr/a' }[member.name] ?? member.name;
  return { ...member, name, ...(member.type === 'link' ? { target: 'usr/a' } : {}) };
}
