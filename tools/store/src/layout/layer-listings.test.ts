import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf, hexOf } from '#core';
import { fixtureTar } from '../testing/fixture-tar.ts';
import { openBlobs } from './blobs.ts';
import { openLayerListings } from './layer-listings.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-listings-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const layer = gzipSync(
  fixtureTar([
    { name: 'etc', type: 'directory', mode: 0o755 },
    { name: 'etc/passwd', type: 'file', content: 'root:x:0:0::/:/bin/sh\n', mode: 0o644 },
    { name: 'etc/.wh.gone', type: 'file' },
    { name: 'bin', type: 'symlink', target: 'usr/bin' },
    { name: 'usr/bin/su', type: 'file', content: '\u007fELF', mode: 0o4755 },
    { name: 'usr/bin/same', type: 'link', target: 'usr/bin/su' },
  ]),
);
const digest = digestOf(layer);
const LISTING = {
  users: ['root:x:0:0::/:/bin/sh', ''],
  members: [
    { path: 'bin', type: 'l', mode: 0o777, elf: false, target: 'usr/bin' },
    { path: 'etc', type: 'd', mode: 0o755, elf: false, target: '' },
    { path: 'etc/.wh.gone', type: 'f', mode: 0, elf: false, target: '' },
    { path: 'etc/passwd', type: 'f', mode: 0o644, elf: false, target: '' },
    { path: 'usr/bin/same', type: 'f', mode: 0o4755, elf: true, target: '' },
    { path: 'usr/bin/su', type: 'f', mode: 0o4755, elf: true, target: '' },
  ],
};
const kept = (): string => join(folder, 'listings');
const open = () => openLayerListings(kept(), openBlobs(folder, folder), 1 << 20);

it('lists a stored layer once, and remembers the list', async () => {
  writeFileSync(join(folder, hexOf(digest)), layer);
  expect(await open().read(digest)).toEqual(LISTING);
  expect(readdirSync(kept())).toEqual([hexOf(digest)]);
  rmSync(join(folder, hexOf(digest)));
  expect(await open().read(digest)).toEqual(LISTING);
});

it('lists a layer again if its file is damaged or of another format', async () => {
  writeFileSync(join(folder, hexOf(digest)), layer);
  await open().read(digest);
  for (const text of ['', '{"format":1,"mem', '{"format":0}']) {
    writeFileSync(join(kept(), hexOf(digest)), text);
    expect(await open().read(digest)).toEqual(LISTING);
  }
});

it('forgets removed layers', async () => {
  writeFileSync(join(folder, hexOf(digest)), layer);
  const listings = open();
  await listings.read(digest);
  listings.retain((each) => each === digest);
  expect(readdirSync(kept())).toHaveLength(1);
  listings.retain(() => false);
  expect(readdirSync(kept())).toEqual([]);
});

it('refuses a layer that is missing or damaged', async () => {
  await expect(open().read(digest)).rejects.toMatchObject({ code: 'store-corrupt' });
  writeFileSync(join(folder, hexOf(digest)), 'other');
  await expect(open().read(digest)).rejects.toMatchObject({ code: 'store-corrupt' });
});
