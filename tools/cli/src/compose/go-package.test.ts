import { expect, it } from 'vitest';
import { sha256 } from '#core';
import { missingGoPackage, type GoAsked } from './go-package.ts';

const file = {
  kind: 'go',
  module: 'x.test/a',
  file: 'v1.0.0.zip',
  sha256: sha256('a'),
  size: 1,
} as const;
const asked: GoAsked = {
  files: [file],
  cache: { sizeOf: () => undefined },
  settings: {},
  env: { PATH: '/nonexistent' },
};

it.each<[string, Partial<GoAsked>, readonly string[]]>([
  ['no proxy is known', {}, ['golang-go']],
  ['the settings name one', { settings: { mirrors: { go: ['https://go.test'] } } }, []],
  ['GOPROXY names one', { env: { PATH: '/nonexistent', GOPROXY: 'https://go.test' } }, []],
  ['GOPROXY is empty', { env: { PATH: '/nonexistent', GOPROXY: '' } }, ['golang-go']],
  ['the cache has the files', { cache: { sizeOf: () => 1 } }, []],
  ['no Go module is wanted', { files: [] }, []],
])('returns the missing package if %s', (_, change, packages) => {
  expect(missingGoPackage({ ...asked, ...change })).toEqual(packages);
});
