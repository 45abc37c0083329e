import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import type { NpmPackage } from '../types.ts';
import { requestedPackages } from './requested-packages.ts';
import { openNpmResolver } from './npm-resolver.ts';

const integrityOf = (bytes: string): string =>
  `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
const entry = (version: string, more: object = {}) => ({
  version,
  integrity: integrityOf(version),
  ...more,
});
const LOCKFILE = JSON.stringify({
  packages: {
    '': { dependencies: { a: '1' } },
    'node_modules/a': entry('1.0.0', {
      dependencies: { b: '^1', '@s/c': '1' },
      optionalDependencies: { 'd-x64': '1', 'd-arm64': '1', 'd-musl': '1' },
    }),
    'node_modules/a/node_modules/b': entry('1.5.0', { dependencies: { '@s/c': '1' } }),
    'node_modules/b': entry('2.0.0'),
    'node_modules/@s/c': entry('1.0.1', { dependencies: { b: '^2' } }),
    'node_modules/d-x64': entry('1.0.2', { os: ['linux'], cpu: ['x64'] }),
    'node_modules/d-arm64': entry('1.0.3', { os: ['linux'], cpu: ['arm64'] }),
    'node_modules/d-musl': entry('1.0.4', { os: ['!win32'], cpu: ['x64'], libc: ['musl'] }),
    'node_modules/other': entry('9.0.0'),
  },
});

describe('requestedPackages', () => {
  it('returns the packages that Node would find on Linux, nested folders first', () => {
    expect(
      requestedPackages(['a', 'node@24.0.0'], LOCKFILE).map(
        ({ path, version }) => `${path} ${version}`,
      ),
    ).toEqual([
      'node_modules/@s/c 1.0.1',
      'node_modules/a 1.0.0',
      'node_modules/a/node_modules/b 1.5.0',
      'node_modules/b 2.0.0',
      'node_modules/d-x64 1.0.2',
      'node_modules/node 24.0.0',
    ]);
  });

  it.each([
    [
      ['othr'],
      LOCKFILE,
      {
        message: "the repository's package-lock.json has no package othr",
        hint: 'did you mean other?',
      },
    ],
    [
      ['a'],
      undefined,
      {
        message: "the repository's package-lock.json has no package a",
        hint: 'add it to package.json, or write NAME@VERSION in image.yaml',
      },
    ],
    [
      ['a'],
      LOCKFILE.replace('node_modules/@s/c', 'node_modules/gone'),
      {
        message:
          "the repository's package-lock.json has no package @s/c, which node_modules/a/node_modules/b needs",
      },
    ],
  ])('reports missing packages of %j', (packages, lockfile, error) => {
    expect(() => requestedPackages(packages, lockfile)).toThrow(
      expect.objectContaining({ code: 'npm-unknown', ...error }),
    );
  });
});

describe('the resolver', () => {
  const asked: string[] = [];
  const resolver = (answers: Readonly<Record<string, string>>) =>
    openNpmResolver({
      registries: () => ['https://empty.test/', 'https://r.test/npm'],
      fetch: async (url) => {
        asked.push(url);
        const body = answers[url];
        return body === undefined ? new Response('', { status: 404 }) : new Response(body);
      },
    });
  const pinned = { path: 'node_modules/@s/c', name: '@s/c', version: '1.0.0' };
  const locked: NpmPackage = {
    ...pinned,
    file: 's-c-1.0.0.tgz',
    integrity: integrityOf('body'),
    sha256: sha256('body'),
    size: 4,
  };
  const answers = { 'https://r.test/npm/@s/c/-/c-1.0.0.tgz': 'body' };

  it('hashes an archive of the first registry that has it, once for two install paths', async () => {
    const twice = { ...pinned, path: 'node_modules/a/node_modules/@s/c' };
    expect(
      await resolver(answers).resolve({
        packages: [{ ...pinned, integrity: integrityOf('body') }, twice],
        keep: [],
      }),
    ).toEqual([locked, { ...locked, path: twice.path }]);
    expect(asked).toEqual([
      'https://empty.test/@s/c/-/c-1.0.0.tgz',
      'https://r.test/npm/@s/c/-/c-1.0.0.tgz',
    ]);
  });

  it('sends no request for locked packages', async () => {
    expect(await resolver({}).resolve({ packages: [pinned], keep: [locked] })).toEqual([locked]);
  });

  it.each([
    [answers, { ...pinned, integrity: integrityOf('other') }, 'npm-mismatch'],
    [{}, pinned, 'npm-missing'],
  ])('refuses different bytes and reports missing packages', async (from, wanted, code) => {
    await expect(resolver(from).resolve({ packages: [wanted], keep: [] })).rejects.toMatchObject({
      code,
    });
  });
});
