import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter(Boolean);
const sources = files.filter((file) => file.endsWith('.ts'));
const textOf = (file: string): string => readFileSync(new URL(file, `file://${root}`), 'utf8');

it('has only the agreed names at the top', () => {
  const top = [...new Set(files.map((file) => file.split('/')[0] as string))].filter(
    (name) => !name.startsWith('.'),
  );
  const agreed = new Set([
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'ccp',
    'ci',
    'deploy-specs',
    'docs',
    'images',
    'nx.json',
    'package-lock.json',
    'package.json',
    'tests',
    'tools',
    'tsconfig.base.json',
    'tsconfig.json',
  ]);
  expect(top.filter((name) => !agreed.has(name))).toEqual([]);
});

it('ignores no file in git that is part of an image', () => {
  const paths = [
    'images/memcached/files/a.log',
    'images/memcached/files/node_modules/a',
    'images/memcached/files/.ccp/a',
    'images/memcached/files/.nx/a',
    'tools/core/src/a.log',
  ];
  const listed = spawnSync(
    'git',
    ['-c', 'core.excludesFile=/dev/null', 'check-ignore', ...paths, 'node_modules/a', '.ccp/a'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  ).stdout;
  expect(listed.split('\n').filter(Boolean)).toEqual(['node_modules/a', '.ccp/a']);
});

/**
 * Number of sources over 300 lines since the width became 100 columns. Lower it with each split.
 */
const LONG_SOURCES = 0;

it('has no other source of more than 300 lines', () => {
  expect(sources.length).toBeGreaterThan(50);
  const long = sources.filter((file) => textOf(file).split('\n').length > 301);
  expect(long.length, long.join('\n')).toBeLessThanOrEqual(LONG_SOURCES);
});

it('has no comment of more than 100 columns', () => {
  const wide = sources.flatMap((file) =>
    textOf(file)
      .split('\n')
      .filter((line) => /^\s*(\/\/|\/\*\*|\* )/.test(line) && line.length > 100)
      .map((line) => `${file}: ${line}`),
  );
  expect(wide).toEqual([]);
});

it('has no line of a page of more than 120 columns, except in tables, code and the index', () => {
  const pages = files.filter((file) => file.endsWith('.md') && file !== 'docs/decisions/README.md');
  expect(pages.length).toBeGreaterThan(100);
  const wide = pages.flatMap((file) =>
    textOf(file)
      .replaceAll(/^ *```[^]*?^ *```$/gm, '')
      .split('\n')
      .filter((line) => line.length > 120 && !line.trimStart().startsWith('|'))
      .map((line) => `${file}: ${line}`),
  );
  expect(wide).toEqual([]);
});

it('has kebab-case file names', () => {
  expect(
    sources.filter(
      (file) =>
        !/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*\.ts$/.test(file.split('/').at(-1) as string),
    ),
  ).toEqual([]);
});

it('has no registry in the npm lock, and one version of all nx packages', () => {
  const lock = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { version?: string; resolved?: string }>;
  };
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  const nx = Object.entries(lock.packages).filter(([path]) =>
    /node_modules\/(nx|@nx\/(workspace|devkit))$/.test(path),
  );
  expect(nx.map(([path]) => path).sort()).toEqual([
    'node_modules/@nx/devkit',
    'node_modules/@nx/workspace',
    'node_modules/nx',
  ]);
  expect(new Set(nx.map(([, { version }]) => version)).size).toBe(1);
});

it('has an entry of each optional dependency in the npm lock, so that npm ci accepts it', () => {
  const copy = join(mkdtempSync(join(tmpdir(), 'ccp-lock-')), 'package-lock.json');
  const pruned = (text: string): readonly string[] => {
    writeFileSync(copy, text);
    const prune = join(root, 'ci/prune-npm-lock.ts');
    const { stderr } = spawnSync(process.execPath, [prune, copy], { encoding: 'utf8' });
    return [stderr.replace(copy, 'LOCK'), readFileSync(copy, 'utf8')];
  };
  const lock = textOf('package-lock.json');
  const none = 'LOCK: removed 0 optional dependencies that have no entry\n';
  expect(pruned(lock), 'run node ci/prune-npm-lock.ts').toEqual([none, lock]);
  const [said, without] = pruned(
    lock.replace(
      '"optionalDependencies": {',
      '"optionalDependencies": {\n        "no-such": "1.0.0",',
    ),
  );
  expect(said).toBe('LOCK: removed 1 optional dependencies that have no entry\n');
  expect(without).toBe(lock);
});

it('pins dependencies exactly', () => {
  const { dependencies, devDependencies } = JSON.parse(textOf('package.json')) as Record<
    string,
    Record<string, string>
  >;
  const versions = Object.entries({ ...dependencies, ...devDependencies });
  expect(versions.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
});

it('has no URL in locks', () => {
  const locks = files.filter((file) => /^images\/[^/]+\/lock\/.*\.yaml$/.test(file));
  const withUrl = locks.filter((file) =>
    textOf(file)
      .split('\n')
      .some((line) => /https?:\/\//.test(line) && !/^\s*#|repository:/.test(line)),
  );
  expect(withUrl).toEqual([]);
});
