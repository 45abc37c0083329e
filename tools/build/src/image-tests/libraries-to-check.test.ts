import { expect, it } from 'vitest';
import { librariesToCheck } from './libraries-to-check.ts';
import { mergeLayers } from './merge-layers.ts';
import { listingOf } from './testing/listing-of.ts';

const elf = { elf: true };
const link = (target: string) => ({ type: 'l', target }) as const;
const below = mergeLayers([
  listingOf({
    'usr/bin/program': elf,
    'usr/lib/liba.so.1': elf,
    'usr/lib/libb.so.1': link('liba.so.1'),
    'usr/lib/data': {},
    'etc/ld.so.cache': {},
    lib: link('usr/lib'),
  }),
]);
const ALL = ['/usr/bin/program', '/usr/lib/liba.so.1'];

function checked(
  layer: Parameters<typeof listingOf>[0],
  allow: readonly string[] = [],
  baseAllow: readonly string[] = [],
): readonly string[] {
  const tree = mergeLayers([listingOf(layer)], below);
  return librariesToCheck(tree, allow, { tree: below, allow: baseAllow });
}

it('lists all ELF files without a checked base', () => {
  expect(librariesToCheck(below, [])).toEqual(ALL);
  expect(librariesToCheck(below, ['/usr/lib/*'])).toEqual(['/usr/bin/program']);
});

it.each<[string, Parameters<typeof listingOf>[0], readonly string[]]>([
  ['plain files', { 'opt/x': {}, 'usr/lib/text': {} }, []],
  ['a program', { 'opt/x': elf }, ['/opt/x']],
  ['a library with a new name', { 'usr/lib/libc.so.6': elf }, ['/usr/lib/libc.so.6']],
  ['a link to a file', { 'usr/bin/x': link('program') }, []],
  ['a link to nothing', { 'etc/mtab': link('/proc/mounts') }, []],
  ['a removed plain file', { 'usr/lib/.wh.data': {} }, []],
  ['a replaced plain file', { 'usr/lib/data': elf }, ['/usr/lib/data']],
])('lists only what a layer with %s adds', (_, layer, expected) => {
  expect(checked(layer)).toEqual(expected);
});

it.each<[string, Parameters<typeof listingOf>[0]]>([
  ['a library of the same name elsewhere', { 'opt/liba.so.1': {} }],
  ['a link with the name of a linked library', { 'opt/libb.so.1': link('x') }],
  ["the loader's configuration", { 'etc/ld.so.conf.d/x.conf': {} }],
  ["the loader's cache", { 'etc/ld.so.cache': {} }],
  ['a link to a directory', { 'opt/x': link('../lib') }],
  ['a link to the root', { 'opt/x': link('/') }],
  ['a circle of links', { 'opt/x': link('x') }],
  ['a file below a link', { 'lib/x': {} }],
])('lists all ELF files for a layer with %s', (_, layer) => {
  if ('lib/x' in layer) {
    const member = { path: 'lib/x', type: 'f', mode: 0o644, elf: false, target: '' } as const;
    const tree = mergeLayers([{ members: [member] }], below);
    return expect(librariesToCheck(tree, [], { tree: below, allow: [] })).toEqual(ALL);
  }
  expect(checked(layer)).toEqual(ALL);
});

it.each<[string, Parameters<typeof listingOf>[0], readonly string[]]>([
  ['a replaced library', { 'usr/lib/liba.so.1': elf }, ALL],
  ['a library replaced by text', { 'usr/lib/liba.so.1': {} }, ['/usr/bin/program']],
  ['a removed library', { 'usr/lib/.wh.liba.so.1': {} }, ['/usr/bin/program']],
  ['a removed link', { 'usr/lib/.wh.libb.so.1': {} }, ALL],
  ['a removed directory', { 'usr/.wh.lib': {} }, ['/usr/bin/program']],
  ['a replaced link', { lib: link('usr/bin') }, ALL],
])('lists all ELF files for a layer with %s', (_, layer, expected) => {
  expect([...checked(layer)].sort()).toEqual(expected);
});

it('lists files that only the base allows', () => {
  expect(checked({ 'opt/x': elf }, [], ['/usr/bin/program'])).toEqual([
    '/usr/bin/program',
    '/opt/x',
  ]);
  expect(checked({ 'opt/x': elf }, ['/usr/bin/*'], ['/usr/bin/program'])).toEqual(['/opt/x']);
});
