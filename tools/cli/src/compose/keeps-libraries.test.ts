import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { digestOf, type Json } from '#core';
import { formatHeader, padded, type TarMember } from '#formats/tar';
import { keepsLibraries } from './keeps-libraries.ts';

const IMAGE = digestOf('image');
const BASE = digestOf('base');
const BELOW = { mediaType: 'x', digest: digestOf('below'), size: 1 << 30 };

/** A layer with one member. */
function layerOf(path: string, type: TarMember['type'] = 'file', content = 'text'): Buffer {
  const size = type === 'file' ? content.length : 0;
  const member: TarMember = {
    path,
    type,
    target: type === 'symlink' || type === 'link' ? 'x' : '',
    mode: 0o755,
    uid: 0,
    gid: 0,
    mtime: 0,
    size,
    xattrs: new Map(),
    segments: size === 0 ? [] : [{ at: 0, from: 0, length: size }],
  };
  const body = Buffer.alloc(padded(size));
  body.write(content.slice(0, size), 'latin1');
  return Buffer.concat([formatHeader(member), body, Buffer.alloc(1024)]);
}

/** Whether an image with this layer on `BELOW` keeps the libraries of its base. */
async function keeps(
  layer: Buffer,
  changes: { readonly size?: number; readonly config?: Json; readonly below?: typeof BELOW } = {},
): Promise<boolean> {
  const packed = gzipSync(layer);
  const own = { mediaType: 'x', digest: digestOf(packed), size: changes.size ?? packed.length };
  const images: Readonly<Record<string, { readonly manifest: Json; readonly config: Json }>> = {
    [IMAGE]: { manifest: { layers: [BELOW, own] }, config: changes.config ?? {} },
    [BASE]: { manifest: { layers: [changes.below ?? BELOW] }, config: {} },
  };
  const reader = {
    inspect: async (digest: string) => images[digest]!,
    readLayer: async ({ digest }: { readonly digest: string }) => {
      expect(digest).toBe(own.digest);
      return packed;
    },
  };
  return keepsLibraries(reader, IMAGE, BASE);
}

it.each<[string, ...Parameters<typeof layerOf>]>([
  ['a plain file', 'etc/app/app.conf'],
  ['a script', 'usr/bin/script', 'file', '#!/bin/sh\n'],
  ['an empty file', 'opt/empty', 'file', ''],
  ['a folder', 'opt/app', 'directory'],
])('is true for a layer with %s', async (_, ...member) => {
  expect(await keeps(layerOf(...member))).toBe(true);
});

it.each<[string, ...Parameters<typeof layerOf>]>([
  ['a program', 'opt/program', 'file', '\u007fELF program'],
  ['a library', 'opt/app/libx.so.1'],
  ['a file in a folder of libraries', 'usr/lib/x86_64-linux-gnu/plugin'],
  ['a file in another folder of libraries', 'lib64/x'],
  ['a replaced folder of libraries', 'lib', 'directory'],
  ['libraries of a wheel', 'opt/app.libs/x'],
  ['a whiteout', 'opt/.wh.app'],
  ['an opaque folder', 'opt/.wh..wh..opq'],
  ['the configuration of the loader', 'etc/ld.so.conf.d/x.conf'],
  ['the preloaded libraries', 'etc/ld.so.preload'],
  ['a symbolic link', 'opt/link', 'symlink'],
  ['a hard link', 'opt/link', 'link'],
])('is false for a layer with %s', async (_, ...member) => {
  expect(await keeps(layerOf(...member))).toBe(false);
});

it('is false for a large layer, and for one that is not gzip or unpacks to too much', async () => {
  const layer = layerOf('etc/x');
  expect(await keeps(layer, { size: (1 << 20) + 1 })).toBe(false);
  expect(await keeps(Buffer.alloc((16 << 20) + 1))).toBe(false);
});

it('is false if a variable configures the loader', async () => {
  const config = (variable: string): Json => ({ config: { Env: ['PATH=/bin', variable] } });
  expect(await keeps(layerOf('etc/x'), { config: config('LD_PRELOAD=/x') })).toBe(false);
  expect(await keeps(layerOf('etc/x'), { config: config('LANG=C') })).toBe(true);
});

it('is false for an image on other layers', async () => {
  const below = { ...BELOW, digest: digestOf('other') };
  expect(await keeps(layerOf('etc/x'), { below })).toBe(false);
});
