import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { referencePages } from '../../ci/reference/pages.ts';
import { createProgram } from '../../tools/cli/src/program.ts';
import { commandFault, shellWords } from './command-fault.ts';
import { commandLines } from './command-lines.ts';
import { anchorsOf, linksOf, pagesOf, readPage } from './doc-pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const program = await createProgram(root, () => undefined);
const pages = pagesOf(root);

it('has reference pages that "npm run docs" would not change', async () => {
  const outdated = [...(await referencePages(root))].flatMap(([name, text]) => {
    const path = join(root, 'docs/reference', name);
    return existsSync(path) && readFileSync(path, 'utf8') === text ? [] : [name];
  });
  expect(outdated, 'run "npm run docs"').toEqual([]);
});

it('lists each decision once, by a number of its own', () => {
  const index = readPage(root, 'docs/decisions/README.md');
  const names = readdirSync(join(root, 'docs/decisions')).filter((name) => name !== 'README.md');
  const listed = [...index.matchAll(/^- \[(\d+)\]\((.+?)\)/gm)].map(([, number, name]) => [
    number,
    name,
  ]);
  expect(listed.sort()).toEqual(names.map((name) => [name.slice(0, 4), name]).sort());
  expect(new Set(names.map((name) => name.slice(0, 4))).size).toBe(names.length);
});

it('lists each decision by the title of its page', () => {
  const index = readPage(root, 'docs/decisions/README.md');
  const others = [...index.matchAll(/^- \[(\d+)\]\((.+?)\) (.+)$/gm)].filter(
    ([, number, name, title]) =>
      !readPage(root, `docs/decisions/${name}`).startsWith(`# ${number}. ${title}\n`),
  );
  expect(others.map(([line]) => line)).toEqual([]);
});

it('links to pages and headings that exist', () => {
  const broken = pages.flatMap((page) =>
    linksOf(readPage(root, page))
      .filter(({ to }) => !/^[a-z]+:/.test(to) && !leadsSomewhere(page, to))
      .map(({ line, to }) => `${page}:${line}: ${to}`),
  );
  expect(broken).toEqual([]);
});

it('shows commands that the program has, with their options and arguments', () => {
  const scripts = (
    JSON.parse(readPage(root, 'package.json')) as { readonly scripts: Record<string, string> }
  ).scripts;
  const faults = pages.flatMap((page) =>
    commandLines(readPage(root, page)).flatMap(({ line, text, isMention }) => {
      const fault = lineFault(text, scripts, isMention);
      return fault === undefined ? [] : [`${page}:${line}: ${text}: ${fault}`];
    }),
  );
  expect(faults).toEqual([]);
});

it('names the Node of the launcher', () => {
  const [, version] = /^node_version=(.+)$/m.exec(readPage(root, 'ci/bootstrap.sh')) ?? [];
  const named = readPage(root, 'CONTRIBUTING.md').matchAll(/ccp\/node\/([^/]+)\/bin/g);
  expect([...named].map(([, each]) => each)).toEqual([version]);
});

it('finds the faults of a command line', () => {
  const faults = [
    './ccp biuld',
    './ccp build --jbos 2',
    'ccp deploy plan',
    'ccp deploy paln example',
    'ccp inspect a b',
    'ccp build -j',
    'npm run typechek',
    'ci/nothing',
    'ccp run keystone -- keystone-manage --version',
    'CCP_CACHE=/a ./ccp plan | head',
  ].map((line) => lineFault(line, { typecheck: '' }));
  expect(faults).toEqual([
    'ccp has no command biuld',
    'build has no option --jbos',
    'plan needs 1 argument',
    'deploy has no command paln',
    'inspect takes 1 argument',
    '-j lacks its value',
    'package.json has no script typechek',
    'ci/nothing does not exist',
    undefined,
    undefined,
  ]);
});

function lineFault(
  line: string,
  scripts: Readonly<Record<string, string>>,
  isMention = false,
): string | undefined {
  const words = shellWords(line);
  const start = words.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const [name, ...rest] = words.slice(start) as [string, ...string[]];
  if (name === 'npm') {
    const script = rest.slice(1).find((word) => !word.startsWith('-')) ?? '';
    return script in scripts ? undefined : `package.json has no script ${script}`;
  }
  if (/^(?:\.\/)?ci\//.test(name))
    return existsSync(join(root, name)) ? undefined : `${name} does not exist`;
  const fault = commandFault(program, rest);
  return isMention && fault !== undefined && / (?:needs|lacks) /.test(fault) ? undefined : fault;
}

function leadsSomewhere(page: string, to: string): boolean {
  const [path = '', anchor] = to.split('#');
  const target = path === '' ? page : posix.join(dirname(page), path);
  if (!existsSync(join(root, target))) return false;
  if (anchor === undefined || statSync(join(root, target)).isDirectory())
    return anchor === undefined;
  return anchorsOf(readPage(root, target)).has(anchor);
}
