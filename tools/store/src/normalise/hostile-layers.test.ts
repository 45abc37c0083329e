import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { formatPax, scanTar, type TarMember, type TarSource } from '#formats/tar';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS, mutated, withChecksums } from '../../../../tests/helpers/fuzz.ts';
import { seededRandom } from '../../../../tests/helpers/random.ts';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { canonicalLayer } from './canonical-layer.ts';
import { layerBytes } from './layer-bytes.ts';
import { normaliseLayer } from './normalise-layer.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-hostile-'));
afterAll(() => rmSync(folder, { recursive: true }));
const END = Buffer.alloc(1024);
let count = 0;

/** A header with a valid checksum, and its content; `edit` changes the header. */
function member(
  name: string,
  flag: string,
  content: Uint8Array | string = '',
  edit: (header: Buffer) => void = () => undefined,
): Buffer {
  const data = Buffer.from(content as string);
  const header = Buffer.alloc(512);
  header.write(name, 0, 100, 'latin1');
  header.write('0000644\u00000000000\u00000000000\0', 100, 'latin1');
  header.write(`${data.length.toString(8).padStart(11, '0')}\u000000000000000\0`, 124, 'latin1');
  header.write(flag, 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  edit(header);
  return Buffer.concat([withChecksums(header), data, Buffer.alloc(-data.length & 511)]);
}
const pax = (...records: (readonly [string, string])[]): Buffer =>
  member('PaxHeader', 'x', formatPax(records));
const link = (name: string, target: string, flag = '2'): Buffer =>
  member(name, flag, '', (header) => void header.write(target, 157, 'latin1'));

const sourceOf = (tar: Buffer): TarSource => ({
  size: tar.length,
  read: (offset, length) => tar.subarray(offset, offset + length),
});
const canonical = (tar: Buffer): readonly TarMember[] => canonicalLayer(scanTar(sourceOf(tar)));
async function normalise(tar: Buffer): Promise<unknown> {
  const [input, output] = [join(folder, `${(count += 1)}.in`), join(folder, `${count}.out`)];
  writeFileSync(input, tar);
  return normaliseLayer({ input, output, limit: 64 * 2 ** 30 });
}

/** A member with an old GNU sparse header: runs of data, then the file's size. */
const gnuSparse = (size: number, runs: readonly (readonly [number, number])[], data = ''): Buffer =>
  member('holes', 'S', data, (header) => {
    const octal = (value: number, at: number): void =>
      void header.write(`${value.toString(8).padStart(11, '0')}\0`, at, 'latin1');
    for (const [index, [at, length]] of runs.entries()) {
      octal(at, 386 + 24 * index);
      octal(length, 398 + 24 * index);
    }
    octal(size, 483);
  });
const sparseMap = (...numbers: number[]): Buffer => {
  const text = Buffer.from(`${numbers.join('\n')}\n`);
  return Buffer.concat([text, Buffer.alloc(-text.length & 511)]);
};
const paxSparse = (size: string | undefined, map: Buffer): Buffer =>
  Buffer.concat([
    pax(
      ['GNU.sparse.major', '1'],
      ['GNU.sparse.name', 'holes'],
      ...(size === undefined ? [] : [['GNU.sparse.realsize', size] as const]),
    ),
    member('x', '0', map),
  ]);
const negative = (header: Buffer): void => {
  header.fill(0xff, 124, 136);
  header.writeUInt16BE(0xfc00, 134);
};

describe('a layer', () => {
  it.each<[string, Buffer[], string]>([
    [
      'declares 20 GB of holes',
      [gnuSparse(8_000_000_000, [])],
      '"holes" has 8000000000 bytes of holes; a layer can have at most 268435456 (at byte 0)',
    ],
    [
      'declares holes in PAX',
      [paxSparse('20000000000', sparseMap(0))],
      '"holes" has 20000000000 bytes of holes; a layer can have at most 268435456 (at byte 0)',
    ],
    [
      'has a sparse file without its size',
      [paxSparse(undefined, Buffer.concat([sparseMap(1, 0, 512), member('../../evil', '0')]))],
      'the sparse file "holes" has no valid size (at byte 1024)',
    ],
    [
      'has a sparse file with an odd size',
      [paxSparse('1e3', sparseMap(0))],
      'the sparse file "holes" has no valid size (at byte 1024)',
    ],
    [
      'has a sparse file that reads the members after it',
      [paxSparse('1024', sparseMap(1, 0, 1024)), member('secret', '0', 'x'.repeat(1024))],
      'the sparse map of "holes" covers more than its data (at byte 1536)',
    ],
    [
      'has an old sparse file that reads the members after it',
      [gnuSparse(1024, [[0, 1024]]), member('secret', '0', 'x'.repeat(1024))],
      'the sparse map of "holes" covers more than its data (at byte 0)',
    ],
    [
      'has a sparse map with an invalid number',
      [paxSparse('1024', Buffer.from('0x1\n'.padEnd(512, '\n')))],
      'the sparse map of "holes" contains "0x1" (at byte 1536)',
    ],
    [
      'has an incomplete sparse map',
      [paxSparse('1024', sparseMap(900, 0))],
      'the sparse map of "holes" is not terminated (at byte 1536)',
    ],
    [
      'has a root that is a link',
      [link('./', '/etc')],
      'the root of the image is a symlink (at byte 0)',
    ],
    [
      'has a root that is a file',
      [member('.', '0', 'x')],
      'the root of the image is a file (at byte 0)',
    ],
    [
      'has a member far below a link',
      [link('a', '/etc'), member('a/b/c', '0', 'x')],
      '"a/b/c" is below "a", which is not a directory (at byte 0)',
    ],
    [
      'has a file twice',
      [member('a', '0', 'one'), member('./a', '0', 'two')],
      '"a" occurs twice (at byte 0)',
    ],
    [
      'replaces a directory by a link',
      [member('a', '5'), link('a/', '/etc')],
      '"a" occurs twice (at byte 0)',
    ],
    [
      'has a hard link to a missing member',
      [link('a', '/etc/shadow', '1')],
      '"a" is a hard link to "etc/shadow", which does not precede it in the layer (at byte 0)',
    ],
    [
      'has a hard link to a path outside the image',
      [link('a', '../../etc/shadow', '1')],
      'the name "../../etc/shadow" points outside the image (at byte 0)',
    ],
    [
      'has a character device',
      [member('dev/kmem', '3')],
      '"dev/kmem" is a character device (at byte 0)',
    ],
    ['has a block device', [member('dev/sda', '4')], '"dev/sda" is a block device (at byte 0)'],
    ['has an unknown type', [member('a', 'V')], '"a" has the unknown type "V" (at byte 0)'],
    [
      'has a directory with content',
      [member('a', '5', member('../../evil', '0'))],
      '"a" is a directory with content (at byte 0)',
    ],
    [
      'has a directory by its name with content',
      [member('a/', '0', member('../../evil', '0'))],
      '"a" is a directory with content (at byte 0)',
    ],
    [
      'has a negative size',
      [member('a', '0', '', negative)],
      'the size of "a" is negative (at byte 0)',
    ],
    [
      'has an extended header of negative size',
      [member('a', 'x', '', negative)],
      'a number field contains -1024 (at byte 0)',
    ],
    [
      'has a negative owner',
      [pax(['uid', '-1']), member('a', '0')],
      '"a" has the uid -1 (at byte 1024)',
    ],
    [
      'has an owner with too many digits',
      [pax(['gid', '9'.repeat(400)]), member('a', '0')],
      'the PAX record gid of "a" is not a number (at byte 1024)',
    ],
    [
      'has a global header with a name',
      [member('PaxHeader', 'g', formatPax([['path', 'a']])), member('b', '0')],
      'a global header sets "path" (at byte 0)',
    ],
    [
      'has a name that is too long for Linux',
      [pax(['path', `a/${'n'.repeat(256)}`]), member('a', '0')],
      `the name "a/${'n'.repeat(256)}" is too long (at byte 1024)`,
    ],
    [
      'has an empty symbolic link',
      [link('a', '')],
      'the symbolic link "a" has the target "" (at byte 0)',
    ],
  ])('is refused if it %s', (_, members, reason) => {
    const message = `the layer cannot be normalised: ${reason}`;
    const started = cpuMs();
    expect(() => canonical(Buffer.concat([...members, END]))).toThrow(message);
    expect(cpuMs() - started).toBeLessThan(1000);
  });

  it.each([
    ['without an end block', Buffer.concat([member('a', '0', 'x')]), 'it is truncated'],
    [
      'that is a truncated zstd stream',
      zstdCompressSync(
        Buffer.concat([member('a', '0', seededRandom(2).bytes(200_000)), END]),
      ).subarray(0, -3),
      'it is truncated',
    ],
    ['that is a truncated gzip stream', gzipSync(END).subarray(0, -9), 'decompression failed: '],
  ])('%s is refused', async (_, tar, reason) => {
    await expect(normalise(tar)).rejects.toThrow(`the layer cannot be normalised: ${reason}`);
  });

  it('is refused with more members than the limit', () => {
    const tar = Buffer.concat([...['a', 'b', 'c'].map((name) => member(name, '0')), END]);
    expect(() => scanTar(sourceOf(tar), 2)).toThrow('it has more than 2 members (at byte 1024)');
  });

  it('is read in linear time with deep paths and long headers', () => {
    const deep = Array.from({ length: 300 }, (_, index) =>
      Buffer.concat([pax(['path', `${index}/${'d/'.repeat(2000)}f`]), member('x', '0')]),
    );
    const records = Array.from({ length: 100_000 }, () => ['k', ''] as const);
    const started = cpuMs();
    expect(
      canonical(Buffer.concat([...deep, pax(...records), member('y', '0'), END])),
    ).toHaveLength(301);
    expect(cpuMs() - started).toBeLessThan(4000);
  });
});

it(
  'makes a canonical tar of a randomly changed layer, or refuses it',
  async () => {
    const tar = fixtureTar([
      { name: 'usr', type: 'directory' },
      { name: `usr/${'long/'.repeat(30)}file`, type: 'file', content: 'x'.repeat(600) },
      { name: 'usr/a', type: 'file', content: 'y', xattrs: { 'user.a': 'b' } },
      { name: 'usr/b', type: 'link', target: 'usr/a' },
      { name: 'usr/c', type: 'symlink', target: '../a' },
    ]);
    const seeds = [
      Buffer.from(tar.subarray(0, tar.length - 8192)),
      Buffer.concat([gnuSparse(3000, [[1000, 512]], 'd'.repeat(512)), END]),
      Buffer.concat([
        paxSparse('3000', Buffer.concat([sparseMap(1, 1000, 512), Buffer.alloc(512, 'd')])),
        END,
      ]),
    ];
    let read = 0;
    await fuzz(1500, (random) => {
      const bytes = withChecksums(mutated(random, random.pick(seeds)));
      let entries: readonly TarMember[];
      try {
        entries = canonical(bytes);
      } catch (thrown) {
        expect(thrown).toMatchObject({ code: 'layer-invalid' });
        return;
      }
      read += 1;
      const size = entries.reduce((sum, entry) => sum + entry.size, 0);
      if (size > 1 << 24) return;
      const once = Buffer.concat(
        [...layerBytes(entries, sourceOf(bytes))].map((part) => Buffer.from(part)),
      );
      const again = canonical(once);
      expect(again.map(({ path, type }) => `${type} ${path}`)).toEqual(
        entries.map(({ path, type }) => `${type} ${path}`),
      );
      expect(
        Buffer.concat([...layerBytes(again, sourceOf(once))].map((part) => Buffer.from(part))),
      ).toEqual(once);
    });
    expect(read).toBeGreaterThan(100);
  },
  FUZZ_TIMEOUT_MS,
);
