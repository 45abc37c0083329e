import { expect, it } from 'vitest';
import type { TarMember } from '#formats/tar';
import { readWhole } from './read-content.ts';

const content = Buffer.from('0123456789');
const source = {
  size: content.length,
  read: (offset: number, length: number): Buffer => content.subarray(offset, offset + length),
};
const member = (size: number): TarMember => ({
  path: 'a/b',
  type: 'file',
  target: '',
  mode: 0o644,
  uid: 0,
  gid: 0,
  mtime: 0,
  size,
  xattrs: new Map(),
  segments: [{ at: 2, from: 4, length: 3 }],
});

it('reads a whole file, with holes as zeros', () => {
  expect(readWhole(source, member(6)).toString('latin1')).toBe('\0\0' + '456' + '\0');
});

it('refuses a file that declares more than 64 MiB, without allocating its size', () => {
  expect(() => readWhole(source, member(2 ** 40))).toThrow(
    'the file "a/b" of a layer has 1099511627776 bytes; at most 67108864 are read',
  );
});
