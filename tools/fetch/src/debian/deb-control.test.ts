import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { compress } from '@napi-rs/lzma/xz';
import { pack, type Header } from 'tar-stream';
import { describe, expect, it } from 'vitest';
import type { Sha256 } from '#core';
import { fuzz, FUZZ_TIMEOUT_MS, mutated, withChecksums } from '../../../../tests/helpers/fuzz.ts';
import { readStream } from '../../../formats/src/testing/tar-list.ts';
import { openCache } from '../cache/open-cache.ts';
import { openMirrors } from '../mirrors/open-mirrors.ts';
import { arArchive } from '../testing/sample-deb.ts';
import { debControl, fetchControls } from './deb-control.ts';

const CONTROL = 'Package: x\nVersion: 1\nArchitecture: amd64\n';

function tarOf(members: readonly [Partial<Header>, string | Buffer][]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content] of members) tar.entry(header as Header, content);
  tar.finalize();
  return readStream(tar as AsyncIterable<Uint8Array>);
}

const debOf = (control: Uint8Array, name = 'control.tar.gz'): Buffer =>
  arArchive({
    'debian-binary': Buffer.from('2.0\n'),
    [name]: control,
    'data.tar': Buffer.alloc(9),
  });

describe('the control file of a package', () => {
  it.each([
    ['control.tar', (tar: Buffer) => tar],
    ['control.tar.gz', gzipSync],
    ['control.tar.xz', compress],
    ['control.tar.zst', zstdCompressSync],
  ])('is read from %s', async (name, packer) => {
    const tar = await tarOf([
      [{ name: './md5sums' }, 'x'],
      [{ name: './control' }, CONTROL],
    ]);
    expect(await debControl(debOf(await packer(tar), name))).toBe(CONTROL);
  });

  it.each<[string, [Partial<Header>, string | Buffer][], string]>([
    ['missing', [[{ name: 'md5sums' }, 'x']], 'it has no file "control"'],
    [
      'a link',
      [[{ name: 'control', type: 'symlink', linkname: '/etc/passwd' }, '']],
      'it has no file "control"',
    ],
    [
      'there twice',
      [
        [{ name: 'control' }, CONTROL],
        [{ name: './control' }, CONTROL],
      ],
      'it has two files "control"',
    ],
    [
      'large',
      [[{ name: 'control' }, 'x'.repeat((1 << 20) + 1)]],
      'its file "control" has more than 1048576 bytes',
    ],
    ['binary', [[{ name: 'control' }, Buffer.from([0xff])]], 'its file "control" is not UTF-8'],
  ])('is refused if it is %s', async (_, members, message) => {
    await expect(debControl(debOf(gzipSync(await tarOf(members))))).rejects.toThrow(
      new RangeError(message),
    );
  });

  it('is refused if its archive unpacks to more than 64 MiB', async () => {
    const bomb = gzipSync(Buffer.alloc((64 << 20) + 1));
    await expect(debControl(debOf(bomb))).rejects.toThrow(
      new RangeError('it unpacks to more than 67108864 bytes'),
    );
  });

  it('is refused if its compression is unknown', async () => {
    await expect(debControl(debOf(Buffer.alloc(1), 'control.tar.bz2'))).rejects.toThrow(
      new RangeError('the compression of control.tar.bz2 is not supported'),
    );
  });

  it(
    'is read or refused in any changed package',
    async () => {
      const tar = await tarOf([
        [{ name: './' + 'long/'.repeat(40), type: 'directory' }, ''],
        [{ name: './control' }, CONTROL],
        [{ name: './postinst' }, 'x'.repeat(700)],
      ]);
      let read = 0;
      await fuzz(300, async (random) => {
        const [name, packer] = random.pick([
          ['control.tar', (data: Buffer) => data],
          ['control.tar.gz', gzipSync],
          ['control.tar.xz', compress],
        ] as const);
        const changed = random.chance(0.8) ? withChecksums(mutated(random, tar)) : tar;
        const deb = debOf(await packer(changed), name);
        const given = random.chance(0.3) ? mutated(random, deb) : deb;
        try {
          await debControl(given);
          read += 1;
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Error);
          expect(thrown).not.toBeInstanceOf(TypeError);
        }
      });
      expect(read).toBeGreaterThan(10);
    },
    FUZZ_TIMEOUT_MS,
  );
});

it('is not read from a cached package with other bytes than the locked ones', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-control-'));
  const cache = openCache({ folder });
  const deb = debOf(gzipSync(await tarOf([[{ name: 'control' }, CONTROL]])));
  const file = {
    kind: 'debian',
    archive: 'debian',
    pool: 'pool/main/x/x/x_1_amd64.deb',
    sha256: 'a'.repeat(64) as Sha256,
    size: deb.length,
  } as const;
  const { sha256 } = await cache.put([deb]);
  const options = { mirrors: openMirrors({ debian: [], debianSecurity: [] }), offline: true };
  const damaged = { ...file, sha256 };
  expect(await fetchControls(cache, [damaged], options)).toEqual(new Map([[sha256, CONTROL]]));
  const place = join(folder, 'sha256', sha256.slice(0, 2), sha256);
  writeFileSync(place, Buffer.from(deb).fill(1, 0, 8));
  for (const each of [file, damaged])
    await expect(fetchControls(cache, [each], options)).rejects.toMatchObject({
      code: 'offline-missing',
    });
  rmSync(folder, { recursive: true });
});
