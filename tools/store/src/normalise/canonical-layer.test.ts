import { expect, it } from 'vitest';
import { SOURCE_DATE_EPOCH } from '#core';
import { scanTar } from '#formats/tar';
import { fixtureTar, type FixtureMember } from '../testing/fixture-tar.ts';
import { canonicalLayer } from './canonical-layer.ts';

/** Members by an engine that gives this time to directories, links and whiteouts. */
const made = (mtime: number): readonly FixtureMember[] => [
  { name: './', type: 'directory', mode: 0o755, mtime },
  { name: 'novnc', type: 'directory', mode: 0o755, mtime },
  { name: 'novnc/.wh..wh..opq', type: 'file', mtime },
  { name: 'novnc/.wh.gone', type: 'file', mtime },
  { name: 'novnc/file', type: 'file', content: 'old', mtime: 1_000_000_000 },
  { name: 'novnc/name', type: 'symlink', target: 'file', mtime },
  { name: 'novnc/pipe', type: 'fifo', mtime },
];

it.each([0, 1_500_000_000, 1_900_000_000])(
  'replaces the time %d of directories, links and whiteouts by the epoch, but not of files',
  (mtime) => {
    const tar = fixtureTar(made(mtime));
    const entries = scanTar({
      size: tar.length,
      read: (offset, length) => tar.subarray(offset, offset + length),
    });
    expect(canonicalLayer(entries).map(({ path, mtime }) => [path, mtime])).toEqual([
      ['', SOURCE_DATE_EPOCH],
      ['novnc', SOURCE_DATE_EPOCH],
      ['novnc/.wh..wh..opq', SOURCE_DATE_EPOCH],
      ['novnc/.wh.gone', SOURCE_DATE_EPOCH],
      ['novnc/file', 1_000_000_000],
      ['novnc/name', SOURCE_DATE_EPOCH],
      ['novnc/pipe', SOURCE_DATE_EPOCH],
    ]);
  },
);
