import { closeSync, lstatSync, mkdtempSync, openSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hexOf, SOURCE_DATE_EPOCH, type Digest } from '#core';
import type { ImageStore, StoredImage } from '#ports';
import { connectRegistry } from './client/connect-registry.ts';
import { openStore, serveStore, wholeImages } from './index.ts';
import { readManifest } from './seal/oci.ts';
import { fixtureTar } from './testing/fixture-tar.ts';
import { pushImage, testIdentity } from './testing/push-image.ts';

const TAR = fixtureTar([{ name: 'etc', type: 'file', content: 'content' }]);
const OLD = 1_000_000_000;
const identity = testIdentity('base');
let folder: string;
let store: ImageStore;
let image: StoredImage;
let manifest: string;
let layer: string;
let layerDigest: Digest;

const blob = (digest: Digest): string => join(folder, 'blobs/sha256', hexOf(digest));
const isMarked = (path: string): boolean => statSync(path).mtimeMs === SOURCE_DATE_EPOCH * 1000;
const push = async (): Promise<number> => {
  const sent = await pushImage(store, identity, [TAR]);
  image = await store.seal(identity);
  await store.publish(image);
  return sent;
};
/** Changes a byte of a file in its place, and with `keepTime` as a disk does that goes bad. */
const spoil = (path: string, keepTime = false): void => {
  const { atime, mtime } = statSync(path);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.from('Z'), 0, 1, 9);
  closeSync(file);
  if (keepTime) utimesSync(path, atime, mtime);
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-damaged-'));
  store = await openStore({ folder });
  await push();
  const inside = readManifest((await store.inspect(image.digest)).manifest);
  layerDigest = inside.layers[0]!.digest;
  manifest = blob(image.digest);
  layer = blob(layerDigest);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

it('takes a layer again that somebody wrote to, and serves it to nobody before', async () => {
  spoil(layer);
  const registry = connectRegistry({ host: store.address });
  expect(await registry.hasBlob('base', layerDigest)).toBe(false);
  const answer = await fetch(`http://${store.address}/v2/base/blobs/${layerDigest}`);
  expect([answer.status, await answer.text()]).toEqual([404, expect.stringContaining(`there is no blob ${layerDigest}, or it is damaged`)]);
  const served = await serveStore({ folder });
  expect((await fetch(`http://${served.address}/v2/base/blobs/${layerDigest}`)).status).toBe(404);
  await served.close();
  expect(await push()).toBe(1);
  expect(await registry.hasBlob('base', layerDigest)).toBe(true);
  await store.verify(image.digest);
});

it('believes a file of another time once its bytes are what they were, and from then on by its time', () => {
  utimesSync(layer, OLD, OLD);
  expect(wholeImages(folder, 'manifest')(image.digest)).toBe(true);
  expect(isMarked(layer)).toBe(false);
  expect(wholeImages(folder, 'all')(image.digest)).toBe(true);
  expect(isMarked(layer)).toBe(true);
});

it('changes nothing behind a link to another store', () => {
  const other = join(folder, 'other');
  renameSync(layer, other);
  symlinkSync(other, layer);
  utimesSync(other, OLD, OLD);
  expect(wholeImages(folder, 'all')(image.digest)).toBe(true);
  spoil(other);
  expect(wholeImages(folder, 'all')(image.digest)).toBe(false);
  expect([lstatSync(layer).isSymbolicLink(), isMarked(other)]).toEqual([true, false]);
});

it.each([
  ['a manifest that is gone', () => rmSync(manifest), [false, false]],
  ['a manifest that was written to', () => spoil(manifest), [false, false]],
  ['a layer that is gone', () => rmSync(layer), [true, false]],
])('cannot be relied upon with %s', (_, harm, whole) => {
  harm();
  expect((['manifest', 'all'] as const).map((look) => wholeImages(folder, look)(image.digest))).toEqual(whole);
});

it('finds by its time alone no byte that the disk changed, until the image is verified', async () => {
  spoil(layer, true);
  expect(store.byFingerprint(identity.fingerprint)).toEqual(image);
  await expect(store.verify(image.digest)).rejects.toThrow(`the image store is damaged: blob ${layerDigest} has other content than its name says`);
  expect(store.byFingerprint(identity.fingerprint)).toBeUndefined();
  expect(await push()).toBe(1);
  await store.verify(image.digest);
});
