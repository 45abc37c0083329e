import { describe, expect, it } from 'vitest';
import { goModuleFiles, goModuleOf, goProxyPath, type GoModuleFile } from './go-modules.ts';

const file = (name: string, version: string, kind: 'zip' | 'mod'): GoModuleFile => ({
  name,
  version,
  kind,
  sum: `h1:${name}`,
});

it.each([
  [file('golang.org/x/sys', 'v0.43.0', 'zip'), 'golang.org/x/sys/@v/v0.43.0.zip'],
  [
    file('github.com/VividCortex/ewma', 'v1.2.0', 'mod'),
    'github.com/!vivid!cortex/ewma/@v/v1.2.0.mod',
  ],
  [file('x.test/a', 'v1.0.0-RC1', 'mod'), 'x.test/a/@v/v1.0.0-!r!c1.mod'],
])('returns the proxy path that Go requests for %j', (asked, path) => {
  expect(goProxyPath(asked)).toBe(path);
});

it('requires the modules with a source tree in go.mod, and lists all files in go.sum', () => {
  const files = [
    file('x.test/b', 'v1.0.0', 'zip'),
    file('x.test/b', 'v1.0.0', 'mod'),
    file('x.test/a', 'v2.0.0', 'mod'),
  ];
  expect(goModuleFiles('1.26.2', files)).toEqual({
    mod: 'module ccp/image\n\ngo 1.26.2\n\nrequire (\n\tx.test/b v1.0.0\n)\n',
    sum: 'x.test/a v2.0.0/go.mod h1:x.test/a\nx.test/b v1.0.0 h1:x.test/b\nx.test/b v1.0.0/go.mod h1:x.test/b\n',
  });
});

describe('goModuleOf', () => {
  it.each([
    ['x.test/a/cmd', 'x.test/a'],
    ['x.test/a', 'x.test/a'],
    ['x.test/a/v2/cmd', 'x.test/a/v2'],
    ['x.test/ab', undefined],
  ])('finds the package %s in the module %s', (path, module) => {
    expect(goModuleOf(path, ['x.test/a', 'x.test/a/v2'])).toBe(module);
  });
});
