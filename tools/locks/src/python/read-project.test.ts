import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { expect, it } from 'vitest';
import { readProjectFiles } from './read-project.ts';
import { writeZip } from './write-zip.ts';

async function tarOf(files: Record<string, string>): Promise<Uint8Array> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

it('reads only the metadata files of the project', async () => {
  const files = {
    'x-1/PKG-INFO': 'top',
    'x-1/deep/PKG-INFO': 'deep',
    'x-1/src/x.egg-info/requires.txt': 'pbr',
    'x-1/x/__init__.py': 'x = 1',
    'x-1/x/y/__init__.py': 'deep',
    'x-1/code.py': 'x',
    '../../PKG-INFO': 'out',
    '/x-1/setup.py': 'absolute',
  };
  const tar = await tarOf(files);
  const expected = [
    ['PKG-INFO', 'top'],
    ['src/x.egg-info/requires.txt', 'pbr'],
    ['x/__init__.py', 'x = 1'],
  ];
  expect([...(await readProjectFiles(gzipSync(tar), 'x-1.tar.gz'))]).toEqual(expected);
  expect([...(await readProjectFiles(tar, 'https://git.example/x'))]).toEqual(expected);
  expect([...(await readProjectFiles(writeZip(files), 'x-1.zip'))]).toEqual(expected);
});

it('refuses a file that is not an archive', async () => {
  await expect(readProjectFiles(Buffer.from('not a gzip'), 'x-1.tar.gz')).rejects.toThrow(
    'x-1.tar.gz cannot be read: ',
  );
  await expect(readProjectFiles(Buffer.from('not a zip'), 'x-1.zip')).rejects.toThrow(
    'x-1.zip cannot be read: the ZIP cannot be read: it has no directory',
  );
});
