import { expect, it } from 'vitest';
import { accountsOf, mergeLayers, pathText } from './merge-layers.ts';
import { listingOf } from './testing/listing-of.ts';

const base = listingOf({ 'a/b/c': {}, 'a/d': {}, 'a.x': {}, link: { type: 'l', target: 'a' } });
const paths = (...layers: Parameters<typeof listingOf>[0][]): string[] =>
  [...mergeLayers([base, ...layers.map((layer) => listingOf(layer))]).keys()].sort();

it.each<[string, Parameters<typeof listingOf>[0], string[]]>([
  ['adds files', { 'a/e': {} }, ['a', 'a.x', 'a/b', 'a/b/c', 'a/d', 'a/e', 'link']],
  ['removes a file', { 'a/.wh.d': {} }, ['a', 'a.x', 'a/b', 'a/b/c', 'link']],
  ['removes a directory', { '.wh.a': {} }, ['a.x', 'link']],
  ['empties a directory', { 'a/.wh..wh..opq': {}, 'a/n': {} }, ['a', 'a.x', 'a/n', 'link']],
  ['empties the root', { '.wh..wh..opq': {}, n: {} }, ['n']],
  ['replaces a directory by a file', { a: {} }, ['a', 'a.x', 'link']],
  ['keeps a directory', { a: { type: 'd' } }, ['a', 'a.x', 'a/b', 'a/b/c', 'a/d', 'link']],
])('%s', (_, layer, expected) => {
  expect(paths(layer)).toEqual(expected);
});

it('has the members of the highest layer, and the same objects of lower ones', () => {
  const below = mergeLayers([base]);
  const tree = mergeLayers([listingOf({ 'a/d': { mode: 0o4755 } })], below);
  expect(tree.get('a/d')!.mode).toBe(0o4755);
  expect(tree.get('a/b/c')).toBe(below.get('a/b/c'));
});

it('finds the accounts of the highest layer that has them', () => {
  const accounts = (...layers: ReturnType<typeof listingOf>[]) =>
    accountsOf(layers, mergeLayers(layers));
  const first = listingOf({ 'etc/passwd': {} }, ['root:x:0:0']);
  expect(accounts(first, base)).toEqual(['root:x:0:0']);
  expect(accounts(first, listingOf({ 'etc/passwd': {} }, ['a:x:1:1']))).toEqual(['a:x:1:1']);
  expect(accounts(first, listingOf({ 'etc/.wh.passwd': {} }))).toEqual([]);
  expect(accounts(first, listingOf({ 'etc/passwd': { type: 'l', target: 'x' } }))).toEqual([]);
});

it('shows paths as absolute UTF-8', () => {
  expect(pathText(Buffer.from('usr/ünï').toString('latin1'))).toBe('/usr/ünï');
});
