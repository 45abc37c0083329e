import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '#core';
import type { Lock } from '#locks';
import { memoryMemo } from '#ports/testing';
import { SAMPLE_LOCK, sampleImage, TRIXIE_SERIES } from '../testing/image-folder.ts';
import { listContext } from './list-context.ts';
import { listTree } from './list-tree.ts';
import { lockedFilesOf } from './sources.ts';

function repository() {
  const definition = sampleImage(
    { 'sample/Dockerfile.njk': 'FROM scratch\n' },
    { tree: ['package.json', 'tools/a'] },
  );
  const root = dirname(dirname(definition.folder));
  for (const path of [
    'package.json',
    'tools/a/src/a.ts',
    'tools/a/src/a.test.ts',
    'tools/a/src/testing.ts',
    'tools/a/src/testing/b.ts',
    'tools/a/README.md',
    'tools/a/.hidden',
    'tools/b/b.ts',
  ]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  return definition;
}

it('lists the repository files that the definition names, without tests and documents', () => {
  const definition = repository();
  expect(listTree(definition, memoryMemo()).map(({ path, type }) => `${type} ${path}`)).toEqual([
    'file package.json',
    'directory tools',
    'directory tools/a',
    'directory tools/a/src',
    'file tools/a/src/a.ts',
  ]);
  expect(() => listTree({ ...definition, tree: ['gone'] }, memoryMemo())).toThrow(
    expect.objectContaining({
      message: 'tree lists gone, which is neither a file nor a folder of the repository',
      hint: 'fix or remove this entry of "tree": an entry is the path of a file or folder in the repository',
    }),
  );
  for (const path of ['.git', 'node_modules/x', 'a/.ccp'])
    expect(() => listTree({ ...definition, tree: [path] }, memoryMemo())).toThrow(
      `tree lists ${path}, which is not part of the repository`,
    );
});

it('puts it into the context, and npm archives with a list of their target folders', () => {
  const tgz = { version: '1.0.0', integrity: '', size: 1 };
  const lock: Lock = {
    ...SAMPLE_LOCK,
    npm: [
      { ...tgz, path: 'node_modules/a', name: 'a', file: 'a-1.0.0.tgz', sha256: sha256('a') },
      {
        ...tgz,
        path: 'node_modules/b/node_modules/a',
        name: 'a',
        file: 'a-1.0.0.tgz',
        sha256: sha256('a'),
      },
    ],
  };
  const entries = listContext({
    definition: repository(),
    series: TRIXIE_SERIES,
    lock,
    origin: 'git',
    dockerfile: 'FROM scratch\n',
  });
  expect(entries.map(({ path }) => path).filter((path) => /^tree|npm/.test(path))).toEqual([
    '.inputs/npm',
    '.inputs/npm/a-1.0.0.tgz',
    '.inputs/npm/list',
    'tree',
    'tree/package.json',
    'tree/tools',
    'tree/tools/a',
    'tree/tools/a/src',
    'tree/tools/a/src/a.ts',
  ]);
  const list = entries.find(({ path }) => path === '.inputs/npm/list') as {
    readonly origin: { readonly bytes: Uint8Array };
  };
  expect(Buffer.from(list.origin.bytes).toString()).toBe(
    'a-1.0.0.tgz node_modules/a\na-1.0.0.tgz node_modules/b/node_modules/a\n',
  );
  expect(
    lockedFilesOf({ ...lock, debian: {}, python: { runtime: [], build: [] }, sources: {} }, 'git'),
  ).toEqual([
    { kind: 'npm', name: 'a', version: '1.0.0', file: 'a-1.0.0.tgz', sha256: sha256('a'), size: 1 },
  ]);
});
