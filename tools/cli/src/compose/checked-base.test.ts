import { expect, it } from 'vitest';
import { digestOf, type Json } from '#core';
import { inheritedLayers } from './checked-base.ts';

const [A, B, C] = ['a', 'b', 'c'].map(digestOf);
const manifestOf = (...layers: readonly (string | undefined)[]): Json => ({
  layers: layers.map((digest) => ({ digest: digest! })),
});
const inherited = (manifest: Json, variable = 'LANG=C'): number | undefined =>
  inheritedLayers(
    { manifest: manifestOf(A, B) },
    { manifest, config: { config: { Env: ['PATH=/bin', variable] } } },
  );

it('is the number of layers of the base', () => {
  expect(inherited(manifestOf(A, B, C))).toBe(2);
  expect(inherited(manifestOf(A, B))).toBe(2);
  expect(inheritedLayers({ manifest: manifestOf() }, { manifest: manifestOf(A), config: {} })).toBe(
    0,
  );
});

it('is undefined for an image on other layers', () => {
  expect(inherited(manifestOf(A, C))).toBeUndefined();
  expect(inherited(manifestOf(A))).toBeUndefined();
});

it('is undefined if a variable configures the loader', () => {
  expect(inherited(manifestOf(A, B, C), 'LD_PRELOAD=/x')).toBeUndefined();
  expect(inherited(manifestOf(A, B, C), 'GLIBC_TUNABLES=x')).toBeUndefined();
});
