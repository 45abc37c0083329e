import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { listTests } from '../../tools/cli/src/commands/test/select-tests.ts';
import {
  groupOf,
  TEST_SUFFIXES,
  type TestGroup,
} from '../../tools/cli/src/commands/test/test-groups.ts';
import { readPage } from './doc-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = listTests(root);
const README = readPage(root, 'tests/README.md');

/** The name of a test file without the suffix of its group. */
const nameOf = (file: string): string => basename(file, TEST_SUFFIXES[groupOf(file)]);

/** The project's files that a file imports, relative to the repository. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import\(|new URL\()\s*'([^']*\.ts|#[^']*)'/g)].map(
    ([, to = '']) =>
      to.startsWith('#')
        ? to.replace(/^#([^/]+)/, 'tools/$1/src').concat('/index.ts')
        : relative(root, resolve(root, dirname(file), to)),
  );
}

const THROUGH = /^tests\/helpers\/|\/testing\/|\/index\.ts$/;

/** True if a file imports a wanted file, itself or through indexes and helpers of tests. */
function reaches(
  file: string,
  isWanted: (path: string) => boolean,
  seen = new Set<string>(),
): boolean {
  if (seen.has(file) || !existsSync(join(root, file))) return false;
  seen.add(file);
  return importsOf(file).some(
    (each) => isWanted(each) || (THROUGH.test(each) && reaches(each, isWanted, seen)),
  );
}

/**
 * True if a test has neither the name of its folder nor of a source in it, and uses none of its
 * sources.
 */
function isOrphaned(file: string): boolean {
  const [folder, name] = [dirname(file), nameOf(file)];
  const sources = [`${name}.{ts,cjs,sh}`, `${name.replaceAll('-', '_')}.py`];
  return (
    name !== basename(folder) &&
    globSync(sources, { cwd: join(root, folder) }).length === 0 &&
    !reaches(file, (path) => path.startsWith(`${folder}/`))
  );
}

it('tests a source of the same folder in each test file of tools/', () => {
  const tests = files.filter((file) => file.startsWith('tools/'));
  expect(tests.length).toBeGreaterThan(50);
  expect(tests.filter(isOrphaned)).toEqual([]);
});

it('has each folder of tests/ in the table of tests/README.md', () => {
  const folders = readdirSync(join(root, 'tests'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  const [, table = ''] = README.split('## Folders');
  const listed = [...table.matchAll(/^\| `([a-z0-9]+)`/gm)].map(([, name]) => name);
  expect(listed).toEqual(folders.sort());
});

it('has each group and its suffix in the table of tests/README.md', () => {
  const rows = [...README.matchAll(/^\| ([a-z]+) +\| `([a-z.]+)`/gm)];
  expect(Object.fromEntries(rows.map(([, group, suffix]) => [group, suffix]))).toEqual(
    TEST_SUFFIXES,
  );
});

it('has no other suffix of test files', () => {
  expect(files.filter((file) => nameOf(file).includes('.')).map(nameOf)).toEqual([]);
});

it('starts control planes and nodes only in tests of the groups cluster and cloud', () => {
  const isStarter = (path: string): boolean =>
    /^tests\/helpers\/cluster\/(start-test|node|up)-cluster\.ts$/.test(path);
  const inGroup = (...groups: readonly TestGroup[]): readonly string[] =>
    files.filter((file) => groups.includes(groupOf(file)));
  expect(inGroup('fast', 'engine').filter((file) => reaches(file, isStarter))).toEqual([]);
  expect(inGroup('cluster').filter((file) => !reaches(file, isStarter))).toEqual([]);
});

it('finds files also in a clone whose path has blanks', () => {
  const wrong = globSync(['tests/**/*.ts', 'tools/*/src/**/*.ts', 'ci/**/*.ts'], { cwd: root })
    // `pathname` has a blank as %20; fileURLToPath does not.
    .filter((file) =>
      /import\.meta\.url\)\s*\.pathname/.test(readFileSync(join(root, file), 'utf8')),
    );
  expect(wrong).toEqual([]);
});
