import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compress } from '@napi-rs/lzma/xz';
import { pack, type Header } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { readTar } from '#formats/tar';
import { fuzz, FUZZ_TIMEOUT_MS, mutated, withChecksums } from '../../../../tests/helpers/fuzz.ts';
import { readStream } from '../../../formats/src/testing/tar-list.ts';
import { arArchive } from '../testing/sample-deb.ts';
import { readAr } from './ar.ts';
import { debData } from './deb-data.ts';

async function tarOf(
  headers: readonly (Partial<Header> & { readonly content?: string })[],
): Promise<Buffer> {
  const tar = pack();
  for (const { content, ...header } of headers) tar.entry(header as Header, content ?? '');
  tar.finalize();
  return readStream(tar as AsyncIterable<Uint8Array>);
}

/** Reads the whole tar; returns the paths. */
async function pathsOf(tar: AsyncIterable<Uint8Array> | readonly Uint8Array[]): Promise<string[]> {
  const paths: string[] = [];
  for await (const { header, data = [] } of readTar(tar)) {
    for await (const _ of data);
    paths.push(header.path);
  }
  return paths;
}

describe('readAr', () => {
  const archive = arArchive({
    'debian-binary': Buffer.from('2.0\n'),
    'data.tar': Buffer.from('x'),
  });

  it.each(['-60', '-1', '1e1', '0x4', '', '4.0', '9999999999', 'NaN'])(
    'refuses the size %j without looping',
    (size) => {
      const changed = Buffer.from(archive);
      changed.write(size.padEnd(10), 8 + 48, 'latin1');
      expect(() => readAr(changed)).toThrow(new RangeError('the ar archive is cut or damaged'));
    },
  );

  it('refuses more than 64 members', () => {
    const members = Array.from({ length: 65 }, (_, index) => [`m${index}`, Buffer.alloc(0)]);
    expect(() => readAr(arArchive(Object.fromEntries(members) as Record<string, Buffer>))).toThrow(
      new RangeError('the ar archive has more than 64 members'),
    );
  });
});

describe('debData', () => {
  const zeros = Buffer.alloc(8_000_000);
  it.each([
    ['data.tar.gz', () => gzipSync(zeros)],
    ['data.tar.zst', () => zstdCompressSync(zeros)],
    ['data.tar.xz', () => compress(zeros)],
    ['data.tar', () => zeros],
  ])('stops at the limit of a bomb in %s', async (name, packed) => {
    const deb = arArchive({ 'debian-binary': Buffer.from('2.0\n'), [name]: await packed() });
    const before = process.memoryUsage.rss();
    await expect(readStream(debData(deb, 2_000_000))).rejects.toThrow(
      new RangeError('it unpacks to more than 2000000 bytes'),
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
  });

  const text = Buffer.alloc(100_000, 'text');
  it.each([
    ['data.tar.gz', () => gzipSync(text), 'unexpected end of file'],
    ['data.tar.zst', () => zstdCompressSync(text), 'unexpected end of file'],
    ['data.tar.xz', () => compress(text), 'failed to fill whole buffer'],
  ])('refuses a cut %s', async (name, packed, message) => {
    const cut = Buffer.from(await packed()).subarray(0, -30);
    const deb = arArchive({ 'debian-binary': Buffer.from('2.0\n'), [name]: cut });
    await expect(readStream(debData(deb))).rejects.toThrow(message);
  });
});

describe('readTar', () => {
  it.each<[string, Partial<Header>, string]>([
    ['a device', { name: 'null', type: 'character-device' }, 'null is a character-device'],
    ['a FIFO', { name: 'pipe', type: 'fifo' }, 'pipe is a fifo'],
    ['a path out of the root', { name: 'a/../../b' }, 'a/../../b leads out of the root'],
    [
      'a hard link out of the root',
      { name: 'a', type: 'link', linkname: '../b' },
      '../b leads out of the root',
    ],
    [
      'a root that is a link',
      { name: './', type: 'symlink', linkname: 'x' },
      'its root is not a folder',
    ],
    [
      'a sparse file',
      { name: 'a', pax: { 'GNU.sparse.major': '1', 'GNU.sparse.name': '../../evil' } },
      'a is a sparse file',
    ],
    [
      'a long name',
      { name: 'n'.repeat(5000) },
      `a name has more than 4096 bytes: ${'n'.repeat(100)}...`,
    ],
  ])('refuses %s', async (_, header, message) => {
    await expect(pathsOf([await tarOf([header])])).rejects.toThrow(new RangeError(message));
  });

  it('refuses an old sparse file as an unknown type', async () => {
    const tar = await tarOf([{ name: 'holes' }]);
    tar.write('S', 156, 'latin1');
    await expect(pathsOf([withChecksums(tar)])).rejects.toThrow(
      new RangeError('holes is a member of unknown type'),
    );
  });

  it.each([
    ['size', 124, 12],
    ['mode', 100, 8],
    ['owner', 108, 8],
  ])('refuses an unreadable %s without waiting for its content', async (_, at, length) => {
    const tar = await tarOf([{ name: 'odd' }, { name: 'next', content: 'x' }]);
    tar.fill(0xc1, at, at + length);
    await expect(pathsOf([withChecksums(tar)])).rejects.toThrow(
      new RangeError('odd has an invalid number in its header'),
    );
  });

  it('refuses more entries than its limit', async () => {
    const tar = await tarOf(['a', 'b', 'c'].map((name) => ({ name })));
    const read = async (): Promise<void> => {
      for await (const { data = [] } of readTar([tar], 2)) for await (const _ of data);
    };
    await expect(read()).rejects.toThrow(new RangeError('it has more than 2 entries'));
  });
});

it(
  'reads or refuses any changed package, its paths inside the root',
  async () => {
    const tar = await tarOf([
      { name: 'usr/', type: 'directory' },
      { name: `usr/${'long/'.repeat(40)}name`, content: 'x'.repeat(700) },
      { name: 'usr/grüße', pax: { comment: 'x' }, content: 'text' },
      { name: 'usr/link', type: 'symlink', linkname: '../x' },
    ]);
    const packers = [
      ['data.tar', (data: Buffer) => data],
      ['data.tar.gz', gzipSync],
      ['data.tar.xz', compress],
    ] as const;
    let read = 0;
    await fuzz(300, async (random) => {
      const [name, packer] = random.pick(packers);
      const changed = withChecksums(random.chance(0.8) ? mutated(random, tar) : Buffer.from(tar));
      const packed = await packer(changed);
      const members = { 'debian-binary': Buffer.from('2.0\n'), [name]: packed };
      const deb = random.chance(0.3) ? mutated(random, arArchive(members)) : arArchive(members);
      try {
        const paths = await pathsOf(debData(deb));
        read += 1;
        expect(paths.filter((path) => path.split('/').includes('..'))).toEqual([]);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(Error);
        expect(thrown).not.toBeInstanceOf(TypeError);
      }
    });
    expect(read).toBeGreaterThan(10);
  },
  FUZZ_TIMEOUT_MS,
);
