import { expect, test } from 'vitest';
import { setInYaml } from './set-in-yaml.ts';

test.each([
  ['a number', 'a:\n  b: { c: 3 } # three\nd: [x, y]\n', 'a:\n  b: { c: 5 } # three\nd: [x, y]\n'],
  ['empty braces', 'a: {}\nd: [x, y]\n', 'a: { b: { c: 5 } }\nd: [x, y]\n'],
  ['braces with others', 'a: { e: {f: 1}, g: h }\n', 'a: { e: {f: 1}, g: h, b: { c: 5 } }\n'],
  [
    'a block with others',
    'a:\n  # about e\n  e: 1\n  g: "h"\n',
    'a:\n  # about e\n  b: { c: 5 }\n  e: 1\n  g: "h"\n',
  ],
  ['a block in a block', 'a:\n  b:\n    e: 1 # one\n', 'a:\n  b:\n    c: 5\n    e: 1 # one\n'],
  ['nothing after the key', 'a:\nd: 1\n', 'a: { b: { c: 5 } }\nd: 1\n'],
  ['no key', 'd: 1\n', 'a: { b: { c: 5 } }\nd: 1\n'],
])('sets %s and leaves all else', (_, text, expected) => {
  expect(setInYaml(text, ['a', 'b', 'c'], 5)).toBe(expected);
});

test('refuses a path through a list', () => {
  expect(() => setInYaml('a: [1]\n', ['a', 'b'], 5)).toThrow('a.b is not a path of mappings');
});
