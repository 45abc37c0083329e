import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { fixtureTar, type FixtureMember } from '../testing/fixture-tar.ts';
import { compareLayers } from './compare-layers.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-compare-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;

function layer(members: readonly FixtureMember[], packed = false): string {
  const path = join(folder, `${(count += 1)}.tar`);
  const tar = fixtureTar(members);
  writeFileSync(path, packed ? gzipSync(tar) : tar);
  return path;
}

const file = (name: string, more: Partial<FixtureMember> = {}): FixtureMember => ({
  name,
  type: 'file',
  content: 'text',
  ...more,
});

describe('compareLayers', () => {
  it('finds no difference between a plain and a compressed layer', async () => {
    const members = [file('etc/a'), file('etc/b', { xattrs: { 'user.x': '1' } })];
    await expect(compareLayers(layer(members), layer(members, true))).resolves.toEqual([]);
  });

  it('finds no difference if only the order of the members differs', async () => {
    const members = [file('etc/a'), file('etc/b')];
    await expect(compareLayers(layer(members), layer(members.toReversed()))).resolves.toEqual([]);
  });

  it('names each attribute that differs', async () => {
    const before = file('etc/a', { mode: 0o644, uid: 1, gid: 2, mtime: 5 });
    const after = file('etc/a', {
      mode: 0o4755,
      uid: 0,
      gid: 2,
      mtime: 6,
      xattrs: { 'user.x': 'A' },
    });
    await expect(compareLayers(layer([before]), layer([after]))).resolves.toEqual([
      {
        path: 'etc/a',
        fields: [
          { field: 'mode', values: ['0644', '4755'] },
          { field: 'owner', values: ['1:2', '0:2'] },
          { field: 'time', values: ['5', '6'] },
          { field: 'attributes', values: ['', 'user.x=41'] },
        ],
      },
    ]);
  });

  it('names the time of a directory', async () => {
    const at = (mtime: number): FixtureMember => ({ name: 'usr/share', type: 'directory', mtime });
    await expect(compareLayers(layer([at(1)]), layer([at(2)]))).resolves.toEqual([
      { path: 'usr/share', fields: [{ field: 'time', values: ['1', '2'] }] },
    ]);
  });

  it('names the first byte that differs, also in the second megabyte', async () => {
    const start = 'x'.repeat((1 << 20) + 5);
    const [a, b] = [
      layer([file('a', { content: `${start}one` })]),
      layer([file('a', { content: `${start}two` })]),
    ];
    await expect(compareLayers(a, b)).resolves.toEqual([
      {
        path: 'a',
        fields: [
          { field: 'content', values: ['6f6e65 at byte 1048581', '74776f at byte 1048581'] },
        ],
      },
    ]);
  });

  it('names the size of a file that continues another one', async () => {
    const [a, b] = [
      layer([file('a', { content: 'text' })]),
      layer([file('a', { content: 'texts' })]),
    ];
    await expect(compareLayers(a, b)).resolves.toEqual([
      { path: 'a', fields: [{ field: 'size', values: ['4', '5'] }] },
    ]);
  });

  it('names the type and target of a file that became a link', async () => {
    const link: FixtureMember = { name: 'a', type: 'symlink', target: 'b', mode: 0o644 };
    await expect(
      compareLayers(layer([file('a', { content: '' })]), layer([link])),
    ).resolves.toEqual([
      {
        path: 'a',
        fields: [
          { field: 'type', values: ['file', 'symlink'] },
          { field: 'target', values: ['', 'b'] },
        ],
      },
    ]);
  });

  it('names the image that lacks a path', async () => {
    await expect(
      compareLayers(layer([file('a'), file('b')]), layer([file('b'), file('c')])),
    ).resolves.toEqual([
      { path: 'a', fields: [], absent: 'second' },
      { path: 'c', fields: [], absent: 'first' },
    ]);
    await expect(compareLayers(undefined, layer([file('a')]))).resolves.toEqual([
      { path: 'a', fields: [], absent: 'first' },
    ]);
  });
});
