import {
  closeSync,
  lstatSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hexOf, SOURCE_DATE_EPOCH, type Digest } from '#core';
import type { ImageStore, StoredImage } from '#ports';
import { connectRegistry } from './client/connect-registry.ts';
import { openStore, serveStore, imageChecker } from './index.ts';
import { readManifest } from './layout/oci.ts';
import { fixtureTar } from './testing/fixture-tar.ts';
import { pushTestImage, testIdentity } from './testing/push-image.ts';

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
  const { sent, digest } = await pushTestImage(store, identity, [TAR]);
  image = await store.seal(identity, digest);
  await store.publish(image);
  return sent;
};
/** Changes a byte of a file; with `keepTime` its modification time stays, as on a failing disk. */
const damage = (path: string, keepTime = false): void => {
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

it('does not serve a modified layer, and accepts it again', async () => {
  damage(layer);
  const registry = connectRegistry({ host: store.address });
  expect(await registry.hasBlob('base', layerDigest)).toBe(false);
  const answer = await fetch(`http://${store.address}/v2/base/blobs/${layerDigest}`);
  expect([answer.status, await answer.text()]).toEqual([
    404,
    expect.stringContaining(`blob ${layerDigest} is missing or damaged`),
  ]);
  const served = await serveStore({ folder });
  expect((await fetch(`http://${served.address}/v2/base/blobs/${layerDigest}`)).status).toBe(404);
  await served.close();
  expect(await push()).toBe(1);
  expect(await registry.hasBlob('base', layerDigest)).toBe(true);
  await store.verify(image.digest);
});

it('hashes a file with another modification time once, then marks and trusts it', () => {
  utimesSync(layer, OLD, OLD);
  expect(imageChecker(folder, 'manifest')(image.digest)).toBe(true);
  expect(isMarked(layer)).toBe(false);
  expect(imageChecker(folder, 'all')(image.digest)).toBe(true);
  expect(isMarked(layer)).toBe(true);
});

it('does not change the target of a link to another store', () => {
  const other = join(folder, 'other');
  renameSync(layer, other);
  symlinkSync(other, layer);
  utimesSync(other, OLD, OLD);
  expect(imageChecker(folder, 'all')(image.digest)).toBe(true);
  damage(other);
  expect(imageChecker(folder, 'all')(image.digest)).toBe(false);
  expect([lstatSync(layer).isSymbolicLink(), isMarked(other)]).toEqual([true, false]);
});

it.each([
  ['a missing manifest', () => rmSync(manifest), [false, false]],
  ['a modified manifest', () => damage(manifest), [false, false]],
  ['a missing layer', () => rmSync(layer), [true, false]],
])('finds an image with %s damaged', (_, harm, whole) => {
  harm();
  expect(
    (['manifest', 'all'] as const).map((depth) => imageChecker(folder, depth)(image.digest)),
  ).toEqual(whole);
});

it('finds a change that kept the modification time only by verifying the image', async () => {
  damage(layer, true);
  expect(store.byFingerprint(identity.fingerprint)).toEqual(image);
  await expect(store.verify(image.digest)).rejects.toThrow(
    `the image store is damaged: blob ${layerDigest} does not match its digest`,
  );
  expect(store.byFingerprint(identity.fingerprint)).toBeUndefined();
  expect(await push()).toBe(1);
  await store.verify(image.digest);
});
