import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { digestOf } from '#core';
import { openKnownLayers, type KnownLayer } from './known-layers.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-known-layers-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (): string => join(folder, 'layers.jsonl');
const open = () => openKnownLayers(folder, folder);

function layer(name: string, pushed = `${name} pushed`): KnownLayer {
  const [original, diffId, digest] = [`${name} original`, `${name} canonical`, name].map(
    digestOf,
  ) as [never, never, never];
  return {
    original,
    diffId,
    digest,
    unpacked: 1024,
    size: 99,
    empty: false,
    pushed: digestOf(pushed),
    pushedSize: 100,
  };
}

it('finds a layer by the pushed and the stored digests, also after reopening', () => {
  const before = open();
  for (const name of ['a', 'b']) before.remember(layer(name));
  before.remember(layer('c', 'a pushed'));
  for (const known of [before, open()]) {
    expect(known.find(digestOf('b original'))).toEqual(layer('b'));
    expect(known.find(digestOf('b canonical'))).toEqual(layer('b'));
    expect(known.findPushed(digestOf('a pushed'))).toEqual(layer('c', 'a pushed'));
    expect(known.findPushed(digestOf('c pushed'))).toBeUndefined();
  }
});

it('removes layers permanently', () => {
  const known = open();
  for (const name of ['a', 'b']) known.remember(layer(name));
  known.remember({ ...layer('nothing'), empty: true });
  known.retain((digest) => digest === digestOf('b'));
  for (const each of [known, open()]) {
    expect(
      ['a', 'b', 'nothing'].map((name) => each.findPushed(digestOf(`${name} pushed`))?.digest),
    ).toEqual([undefined, digestOf('b'), digestOf('nothing')]);
  }
});

it.each([
  ['an incomplete line of a killed run', () => appendFileSync(file(), '{"diffId":"sha256:12')],
  ['a line that is not a layer', () => appendFileSync(file(), 'null\n')],
])('drops %s and keeps the rest', (_, damage) => {
  open().remember(layer('a'));
  damage();
  const known = open();
  expect(known.findPushed(digestOf('a pushed'))).toEqual(layer('a'));
  known.remember(layer('b'));
  expect(readFileSync(file(), 'utf8').split('\n')).toHaveLength(4);
  expect(open().findPushed(digestOf('b pushed'))).toEqual(layer('b'));
});

it('ignores layers of another normaliser version', () => {
  open().remember(layer('a'));
  const [, ...lines] = readFileSync(file(), 'utf8').split('\n');
  writeFileSync(file(), ['{"format":2,"normaliser":"other"}', ...lines].join('\n'));
  expect(open().findPushed(digestOf('a pushed'))).toBeUndefined();
});

it('does not write a file when opened', () => {
  open();
  expect(readdirSync(folder)).toEqual([]);
});

it('keeps the newer half of too many layers', () => {
  open().remember(layer('x'));
  appendFileSync(
    file(),
    Array.from({ length: 10_001 }, (_, index) => `${JSON.stringify(layer(String(index)))}\n`).join(
      '',
    ),
  );
  const known = open();
  expect(
    [0, 5000, 5001, 10_000].map(
      (index) => known.findPushed(digestOf(`${index} pushed`)) !== undefined,
    ),
  ).toEqual([false, false, true, true]);
});
