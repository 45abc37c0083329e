import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
const sources = files.filter((file) => file.endsWith('.ts'));
const textOf = (file: string): string => readFileSync(new URL(file, `file://${root}`), 'utf8');

test('only the agreed names stand at the top', () => {
  const top = [...new Set(files.map((file) => file.split('/')[0] as string))].filter((name) => !name.startsWith('.'));
  expect(top.sort()).toEqual(
    [
      'LICENSE',
      'README.md',
      'ccp',
      'ci',
      'deploy-specs',
      'images',
      'nx.json',
      'package-lock.json',
      'package.json',
      'tests',
      'tools',
      'tsconfig.base.json',
    ].sort(),
  );
});

test('the rules of this repository hide nothing that enters an image from git', () => {
  const paths = [
    'images/memcached/files/a.log',
    'images/memcached/files/node_modules/a',
    'images/memcached/files/.ccp/a',
    'images/memcached/files/.nx/a',
    'tools/core/src/a.log',
  ];
  const told = spawnSync('git', ['-c', 'core.excludesFile=/dev/null', 'check-ignore', ...paths, 'node_modules/a', '.ccp/a'], {
    cwd: root,
    encoding: 'utf8',
  }).stdout;
  expect(told.split('\n').filter(Boolean)).toEqual(['node_modules/a', '.ccp/a']);
});

test('no source is longer than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(50);
  expect(sources.filter((file) => textOf(file).split('\n').length > 301)).toEqual([]);
});

test('file names are kebab-case', () => {
  expect(sources.filter((file) => !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*\.ts$/.test(file.split('/').at(-1) as string))).toEqual([]);
});

test('the npm lock names no registry and every nx package has one version', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, { version?: string; resolved?: string }> };
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  const nx = Object.entries(lock.packages).filter(([path]) => /node_modules\/(nx|@nx\/(workspace|devkit))$/.test(path));
  expect(nx.map(([path]) => path).sort()).toEqual(['node_modules/@nx/devkit', 'node_modules/@nx/workspace', 'node_modules/nx']);
  expect(new Set(nx.map(([, { version }]) => version)).size).toBe(1);
});

test('dependencies are pinned exactly', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;
  const versions = Object.entries({ ...dependencies, ...devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

test('locks hold no URL', () => {
  const locks = files.filter((file) => /^images\/[^/]+\/lock\/.*\.yaml$/.test(file));
  const withUrl = locks.filter((file) =>
    textOf(file)
      .split('\n')
      .some((line) => /https?:\/\//.test(line) && !/^\s*#|repository:/.test(line)),
  );
  expect(withUrl).toEqual([]);
});
