import { expect, it } from 'vitest';
import { readStream, tarList, tarRead } from '../testing/tar-list.ts';
import { writeTar, type TarHeader } from './write-tar.ts';

const COMMON = { mode: 0o644, uid: 0, gid: 0, size: 0, mtime: 1_767_225_600 } as const;
const AT = '2026-01-01 00:00:00';

function fileOf(path: string, text: string, changes: Partial<TarHeader> = {}) {
  return {
    header: {
      ...COMMON,
      path,
      type: 'file',
      size: Buffer.byteLength(text),
      ...changes,
    } as TarHeader,
    data: [Buffer.from(text)],
  };
}

it('writes a tar that GNU tar reads, with long and non-ASCII names', async () => {
  const long = `${'d'.repeat(90)}/${'f'.repeat(180)}`;
  const tar = await readStream(
    writeTar([
      { header: { ...COMMON, path: 'folder', type: 'directory', mode: 0o1777 } },
      fileOf('folder/exact', 'x'.repeat(512), { mode: 0o4755, uid: 42425, gid: 8 }),
      fileOf(long, 'long'),
      fileOf('grüße', 'utf-8'),
      { header: { ...COMMON, path: 'link', type: 'symlink', target: `../${long}` } },
      { header: { ...COMMON, path: 'hard', type: 'hardlink', target: 'folder/exact' } },
    ]),
  );
  expect(tarList(tar)).toEqual([
    `drwxrwxrwt 0/0 0 ${AT} folder/`,
    `-rwsr-xr-x 42425/8 512 ${AT} folder/exact`,
    `-rw-r--r-- 0/0 4 ${AT} ${long}`,
    `-rw-r--r-- 0/0 5 ${AT} gr\\303\\274\\303\\237e`.replace('gr\\303\\274\\303\\237e', 'grüße'),
    `lrw-r--r-- 0/0 0 ${AT} link -> ../${long}`,
    `hrw-r--r-- 0/0 0 ${AT} hard link to folder/exact`,
  ]);
  expect([tarRead(tar, long), tarRead(tar, 'grüße')]).toEqual(['long', 'utf-8']);
  expect(tar.length % 512).toBe(0);
});

it('computes PAX lengths if the length itself gains a digit', async () => {
  const lengths = [
    ...Array.from({ length: 29 }, (_, index) => 101 + index),
    985,
    986,
    987,
    988,
    989,
    990,
  ];
  const paths = lengths.map((length) => 'n'.repeat(length));
  expect(tarList(await readStream(writeTar(paths.map((path) => fileOf(path, '')))))).toEqual(
    paths.map((path) => `-rw-r--r-- 0/0 0 ${AT} ${path}`),
  );
});

it.each([
  ['fewer', 4],
  ['more', 2],
])('refuses an entry with %s bytes than announced', async (_, size) => {
  await expect(readStream(writeTar([fileOf('a', 'abc', { size })]))).rejects.toThrow(
    `a does not have the ${size} bytes that its tar header declares`,
  );
});

it('reads its sources only as fast as it is consumed', async () => {
  let made = 0;
  const source = (async function* () {
    for (; made < 1000; made++) yield Buffer.alloc(1024);
  })();
  const tar = writeTar([
    { header: { ...COMMON, path: 'a', type: 'file', size: 1024 * 1000 }, data: source },
  ]);
  for (let read = 0; read < 10; read++) await tar.next();
  expect(made).toBeLessThan(12);
  await tar.return(undefined);
});
