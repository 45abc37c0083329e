import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ImageStore } from '#ports';
import { openStore, readImageFile } from './index.ts';
import { fixtureTar, type FixtureMember } from './testing/fixture-tar.ts';
import { pushAndSeal, testIdentity } from './testing/push-image.ts';

const root = mkdtempSync(join(tmpdir(), 'ccp-image-file-'));
const folder = join(root, 'store');
let store: ImageStore;
beforeAll(async () => {
  store = await openStore({ folder });
});
afterAll(async () => {
  await store.close();
  rmSync(root, { recursive: true });
});

const file = (name: string, content = ''): FixtureMember => ({ name, type: 'file', content });
const link = (name: string, target: string): FixtureMember => ({ name, type: 'symlink', target });

it.each<[string, readonly (readonly FixtureMember[])[], string | undefined]>([
  ['finds the file of a lower layer', [[file('a/b/c', 'one')], [file('a/b/d')]], 'one'],
  ['finds the file of the highest layer', [[file('a/b/c', 'one')], [file('a/b/c', 'two')]], 'two'],
  ['finds no file that no layer has', [[file('a/b/cc')], [file('c')]], undefined],
  ['respects a whiteout of the file', [[file('a/b/c', 'one')], [file('a/b/.wh.c')]], undefined],
  ['respects a whiteout of its folder', [[file('a/b/c', 'one')], [file('a/.wh.b')]], undefined],
  ['respects a whiteout further above', [[file('a/b/c', 'one')], [file('.wh.a')]], undefined],
  [
    'respects an opaque folder',
    [[file('a/b/c', 'one')], [file('a/.wh..wh..opq'), file('a/b/d')]],
    undefined,
  ],
  [
    'finds a file next to the whiteout of its folder',
    [[file('a/b/c', 'one')], [file('a/.wh..wh..opq'), file('a/b/c', 'two')]],
    'two',
  ],
  [
    'ignores whiteouts of other folders',
    [[file('a/b/c', 'one')], [file('a/.wh.bb'), file('b/.wh.c')]],
    'one',
  ],
  [
    'finds a file above the whiteout of a lower layer',
    [[file('a/b/c', 'one')], [file('.wh.a')], [file('a/b/c', 'three')]],
    'three',
  ],
  ['finds no link', [[file('a/b/c', 'one')], [link('a/b/c', 'd')]], undefined],
  ['finds no file below a link', [[file('a/b/c', 'one')], [link('a/b', 'd')]], undefined],
])('%s', async (title, layers, expected) => {
  const image = await pushAndSeal(
    store,
    testIdentity('file', title),
    layers.map((members) => fixtureTar(members)),
  );
  await store.publish(image);
  const found = await readImageFile({ folder, digest: image.digest }, 'a/b/c');
  expect(found?.toString()).toBe(expected);
});
