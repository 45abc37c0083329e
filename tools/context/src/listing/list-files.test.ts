import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import { memoryMemo } from '#ports/testing';
import { sampleImage } from '../testing/image-folder.ts';
import { listFiles } from './list-files.ts';

const FILES = {
  'sample/Dockerfile.njk': '',
  'sample/files/etc/b.conf': 'b',
  'sample/files/etc/a': 'a',
  'sample/files/etc-d': 'd',
};

describe('listFiles', () => {
  it('keeps the executable bit and links inside the folder, nothing else of the disk', () => {
    const definition = sampleImage(FILES);
    const file = join(definition.folder, 'files/etc/a');
    chmodSync(file, 0o710);
    utimesSync(file, 1, 1);
    mkdirSync(join(definition.folder, 'files/empty/inner'), { recursive: true });
    symlinkSync('../etc-d', join(definition.folder, 'files/etc/link'));
    const records = listFiles(definition, memoryMemo());
    expect(records.map(({ path }) => path)).toEqual([
      'etc',
      'etc-d',
      'etc/a',
      'etc/b.conf',
      'etc/link',
    ]);
    expect(records[2]).toEqual({
      path: 'etc/a',
      type: 'file',
      executable: true,
      sha256: sha256('a'),
    });
    expect(records[4]).toEqual({ path: 'etc/link', type: 'symlink', target: '../etc-d' });
  });

  it('accepts a name and a link that contain a replacement character', () => {
    const definition = sampleImage({ ...FILES, 'sample/files/\ufffd': 'x' });
    symlinkSync('\ufffd', join(definition.folder, 'files/link'));
    expect(listFiles(definition, memoryMemo()).map(({ path }) => path)).toEqual([
      'etc',
      'etc-d',
      'etc/a',
      'etc/b.conf',
      'link',
      '\ufffd',
    ]);
  });

  it('refuses a link whose target is not UTF-8', () => {
    const definition = sampleImage(FILES);
    symlinkSync(Buffer.from([0x61, 0xff]), join(definition.folder, 'files/link'));
    expect(() => listFiles(definition, memoryMemo())).toThrow(
      'images/sample/files/link is a link to "a\ufffd", which is not UTF-8',
    );
  });

  it.each(['/etc/passwd', '../../image.yaml', '..', 'inner/../../../x'])(
    'refuses a link to %s',
    (target) => {
      const definition = sampleImage(FILES);
      symlinkSync(target, join(definition.folder, 'files/leak'));
      expect(() => listFiles(definition, memoryMemo())).toThrow(
        `images/sample/files/leak is a link to ${JSON.stringify(target)}, outside the files folder`,
      );
    },
  );

  it('reports all entries that cannot be in a tar together', async () => {
    const definition = sampleImage(FILES);
    const socket = createServer().listen(join(definition.folder, 'files/socket'));
    await new Promise((resolve) => socket.once('listening', resolve));
    writeFileSync(join(definition.folder, 'files', 'new\nline'), '');
    writeFileSync(
      Buffer.concat([Buffer.from(join(definition.folder, 'files/')), Buffer.from([0xff])]),
      '',
    );
    try {
      expect(() => listFiles(definition, memoryMemo())).toThrow(/\(and 2 more\)$/);
    } finally {
      await new Promise((resolve) => socket.close(resolve));
    }
  });

  it('refuses a files folder that is a link', () => {
    const definition = sampleImage({ 'sample/Dockerfile.njk': '' });
    symlinkSync('/etc', join(definition.folder, 'files'));
    expect(() => listFiles(definition, memoryMemo())).toThrow(
      'images/sample/files is not a folder',
    );
  });
});
