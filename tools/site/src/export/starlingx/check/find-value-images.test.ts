import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { imageReferences, imageValues, mergeValues } from './find-value-images.ts';

const IMAGE = 'registry.test/a/b:1';

it.each([
  `__proto__: { image: "${IMAGE}" }`,
  `a: { __proto__: { image: "${IMAGE}" } }`,
  `constructor: { images: { tags: { x: "${IMAGE}" } } }`,
  `images: { tags: { __proto__: "${IMAGE}" } }`,
])('finds an image below any key: %s', (text) => {
  const values = parse(text) as object as Record<string, unknown>;
  expect(imageReferences(imageValues(mergeValues({}, values)))).toEqual([IMAGE]);
  expect(imageReferences(imageValues(mergeValues(values, values)))).toEqual([IMAGE]);
});
