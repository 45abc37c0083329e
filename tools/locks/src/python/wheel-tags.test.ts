import { expect, it } from 'vitest';
import { parseWheelName, wheelChooser } from './wheel-tags.ts';

const choose = wheelChooser({ python: '3.13', glibc: 36 });

it.each<[string, string[], string | undefined]>([
  [
    'the newest compatible platform',
    [
      'x-1-cp313-cp313-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
      'x-1-cp313-cp313-manylinux_2_28_x86_64.whl',
      'x-1-cp313-cp313-manylinux_2_39_x86_64.whl',
    ],
    'x-1-cp313-cp313-manylinux_2_28_x86_64.whl',
  ],
  [
    'its own ABI before abi3 before pure Python',
    [
      'x-1-py3-none-any.whl',
      'x-1-cp39-abi3-manylinux1_x86_64.whl',
      'x-1-cp313-cp313-manylinux1_x86_64.whl',
    ],
    'x-1-cp313-cp313-manylinux1_x86_64.whl',
  ],
  [
    'abi3 of an older Python',
    ['x-1-py3-none-any.whl', 'x-1-cp39-abi3-manylinux_2_34_x86_64.whl'],
    'x-1-cp39-abi3-manylinux_2_34_x86_64.whl',
  ],
  ['a wheel for Python 2 and 3', ['x-1-py2.py3-none-any.whl'], 'x-1-py2.py3-none-any.whl'],
  [
    'the higher build number',
    ['x-1-2-py3-none-any.whl', 'x-1-10-py3-none-any.whl'],
    'x-1-10-py3-none-any.whl',
  ],
  [
    'no other system, processor, Python or free threading',
    [
      'x-1-cp313-cp313-musllinux_1_2_x86_64.whl',
      'x-1-cp313-cp313-manylinux_2_28_aarch64.whl',
      'x-1-cp312-cp312-manylinux1_x86_64.whl',
      'x-1-cp313-cp313t-manylinux1_x86_64.whl',
      'x-1-cp314-abi3-manylinux1_x86_64.whl',
      'x.whl',
    ],
    undefined,
  ],
])('selects %s', (_, files, expected) => {
  expect(choose(files.map((file) => ({ file })))?.file).toBe(expected);
});

it('parses all parts of a name', () => {
  expect(parseWheelName('oslo_db-1.0-1a-cp39.cp310-abi3-linux_x86_64.whl')).toEqual({
    name: 'oslo_db',
    version: '1.0',
    build: '1a',
    tags: ['cp39-abi3-linux_x86_64', 'cp310-abi3-linux_x86_64'],
  });
});
