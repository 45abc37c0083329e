import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { fuzz, FUZZ_TIMEOUT_MS, mutated, withChecksums } from '../../../../tests/helpers/fuzz.ts';
import { seededRandom } from '../../../../tests/helpers/random.ts';
import { readProjectFiles } from './read-project.ts';
import { readZip } from '#formats';
import { tarTexts } from './tar-texts.ts';
import { writeZip } from './write-zip.ts';

async function tarOf(files: readonly (readonly [string, string | Buffer])[]): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of files) tar.entry({ name }, content as string);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

describe('a source archive', () => {
  const text = 'Name: x\n'.repeat(2000);
  it.each([20, 100, 300, 1000])('is refused if truncated to %d bytes', async (length) => {
    const tar = await tarOf([['x-1/PKG-INFO', seededRandom(1).bytes(3000)]]);
    await expect(readProjectFiles(gzipSync(tar).subarray(0, length), 'x-1.tar.gz')).rejects.toThrow(
      new CcpError({
        code: 'python-sdist-invalid',
        message: 'x-1.tar.gz cannot be read: unexpected end of file',
      }),
    );
    await expect(readProjectFiles(tar.subarray(0, length), 'x-1.tar')).rejects.toThrow(
      new CcpError({
        code: 'python-sdist-invalid',
        message: 'x-1.tar cannot be read: Unexpected end of data',
      }),
    );
  });

  it.each(['x-1/PKG-INFO', 'x-1/other'])(
    'is refused if the size of %s cannot be read',
    async (name) => {
      const tar = await tarOf([[name, text]]);
      tar.fill(0xc1, 124, 136);
      await expect(readProjectFiles(withChecksums(tar), 'x-1.tar')).rejects.toThrow(
        `x-1.tar cannot be read: ${name} has an invalid size`,
      );
    },
  );

  it('is refused if its stream fails', async () => {
    const tar = await tarOf([['x-1/PKG-INFO', text]]);
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield tar.subarray(0, 700);
      throw new Error('the connection broke');
    };
    await expect(readProjectFiles(broken(), 'x-1.tar')).rejects.toThrow(
      'x-1.tar cannot be read: the connection broke',
    );
  });

  const limits = { entries: 3, unpacked: 100_000, file: 20_000, taken: 30_000 };
  const all = (): boolean => true;
  it.each([
    [
      'has too many members',
      ['a', 'b', 'c', 'd'].map((name) => [name, ''] as const),
      'it has more than 3 entries',
    ],
    [
      'is a bomb',
      [['a', Buffer.alloc(30_000_000)] as const],
      'it unpacks to more than 100000 bytes',
    ],
    [
      'has too many bytes of metadata',
      ['a', 'b'].map((name) => [name, Buffer.alloc(19_000)] as const),
      'its metadata files have more than 30000 bytes',
    ],
  ])('is refused if it %s', async (_, files, message) => {
    const archive = gzipSync(await tarOf(files));
    await expect(tarTexts([archive], all, { gzipped: true, limits })).rejects.toThrow(
      new RangeError(message),
    );
  });
});

describe('a ZIP', () => {
  const zipped = (changes: (zip: Buffer, central: number) => void): Uint8Array => {
    const zip = Buffer.from(writeZip({ 'x-1/a': 'content', 'x-1/b': 'content' }));
    changes(zip, zip.indexOf(Buffer.from([0x50, 0x4b, 1, 2])));
    return zip;
  };
  /** One deflated file with the declared size `said`. */
  const bomb = (said: number): Uint8Array => {
    const content = Buffer.alloc(10_000_000);
    const data = deflateRawSync(content);
    const local = Buffer.alloc(31 + data.length);
    local.writeUInt32LE(0x04034b50);
    local.writeUInt16LE(1, 26);
    local.write('a', 30);
    data.copy(local, 31);
    const central = Buffer.alloc(47);
    central.writeUInt32LE(0x02014b50);
    central.writeUInt16LE(8, 10);
    central.writeUInt32LE(crc32(content), 16);
    central.writeUInt32LE(data.length, 20);
    central.writeUInt32LE(said, 24);
    central.writeUInt16LE(1, 28);
    central.write('a', 46);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x06054b50);
    end.writeUInt16LE(1, 10);
    end.writeUInt32LE(local.length, 16);
    return Buffer.concat([local, central, end]);
  };

  it.each<[string, Uint8Array, string]>([
    ['announces too much', bomb(10_000_000), 'its files unpack to more than 1000000 bytes'],
    ['unpacks to more than it announces', bomb(10), '"a" is damaged'],
    [
      'has a directory offset after its end',
      zipped((zip) => zip.writeUInt32LE(0xfffffff0, zip.length - 6)),
      'it is truncated or damaged',
    ],
    ['has no end', writeZip({ a: 'x' }).subarray(0, -5), 'it has no directory'],
    ['is encrypted', zipped((zip, at) => zip.writeUInt16LE(1, at + 8)), '"x-1/a" is encrypted'],
    [
      'is ZIP64',
      zipped((zip, at) => zip.writeUInt32LE(0xffffffff, at + 42)),
      '"x-1/a" is stored as ZIP64',
    ],
    [
      'has an unknown compression',
      zipped((zip, at) => zip.writeUInt16LE(12, at + 10)),
      '"x-1/a" has an unsupported compression',
    ],
    [
      'has a file beyond its end',
      zipped((zip, at) => zip.writeUInt32LE(90_000, at + 20)),
      '"x-1/a" is truncated',
    ],
    [
      'has one file twice',
      zipped((zip) => zip.write('a', zip.lastIndexOf('x-1/b') + 4)),
      'it has "x-1/a" twice',
    ],
  ])('is refused if it %s', (_, zip, reason) => {
    expect(() => readZip(zip, () => true, 1_000_000)).toThrow(
      new CcpError({ code: 'zip-invalid', message: `the ZIP cannot be read: ${reason}` }),
    );
  });

  it('is read if it has the directory of more than 65,534 files', () => {
    const zip = Buffer.from(writeZip({ a: 'x', b: 'y' }));
    const [files, end] = [zip.subarray(0, -22), zip.subarray(-22)];
    const record = Buffer.alloc(56);
    record.writeUInt32LE(0x06064b50, 0);
    record.writeBigUInt64LE(2n, 32);
    record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48);
    const locator = Buffer.alloc(20);
    locator.writeUInt32LE(0x07064b50, 0);
    locator.writeBigUInt64LE(BigInt(files.length), 8);
    // Python's zipfile keeps the offset, other programs mark it too.
    end.writeUInt16LE(0xffff, 10);
    const large = Buffer.concat([files, record, locator, end]);
    expect([...readZip(large, () => true).keys()]).toEqual(['a', 'b']);
    end.writeUInt32LE(0xffffffff, 16);
    const marked = Buffer.concat([files, record, locator, end]);
    expect([...readZip(marked, () => true).keys()]).toEqual(['a', 'b']);
  });
});

it(
  'reads or refuses any changed source archive',
  async () => {
    const files = [
      ['x-1/PKG-INFO', 'Name: x\n'],
      ['x-1/setup.cfg', '[metadata]\n'],
      [`x-1/${'n'.repeat(150)}/__init__.py`, 'x = 1'],
    ] as const;
    const tar = await tarOf(files);
    const archives = [
      ['x-1.tar', tar],
      ['x-1.tar.gz', gzipSync(tar)],
      ['x-1.zip', Buffer.from(writeZip(Object.fromEntries(files)))],
    ] as const;
    let read = 0;
    await fuzz(600, async (random) => {
      const [name, archive] = random.pick(archives);
      try {
        const changed = mutated(random, archive);
        const bytes = name === 'x-1.tar' ? withChecksums(changed) : changed;
        const found = await readProjectFiles(bytes, name);
        read += 1;
        expect(found.size).toBeLessThanOrEqual(10);
      } catch (thrown) {
        expect(thrown).toMatchObject({
          code: expect.stringMatching(/^(?:python-sdist-invalid|zip-invalid)$/),
        });
      }
    });
    expect(read).toBeGreaterThan(10);
  },
  FUZZ_TIMEOUT_MS,
);
