import { execFile } from 'node:child_process';
import { readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY, type CommandResult } from '../helpers/ccp.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';
import { createProgram } from '../../tools/cli/src/program.ts';
import { commandFault, shellWords } from '../repository/command-fault.ts';
import { commandLines } from '../repository/command-lines.ts';
import { pagesOf, readPage } from '../repository/doc-pages.ts';

/** Commands that run here: they need files only. */
const RUNS: readonly string[] = [
  '--help',
  'help',
  'completion',
  'plan',
  'explain',
  'graph',
  'durations',
  'validate',
  'render',
  'export chart',
  'export tarball',
  'export yaml',
  'lock --check',
  'deploy validate',
  'deploy explain',
  'clean',
  'clean --all',
];

/** The reason why each other command does not run here. */
const NEEDS: Readonly<Record<string, string>> = {
  affected: 'the Git history; tests/cli/affected-property.test.ts has its tests',
  'durations --write': 'it changes a committed file',
  build: 'an engine',
  run: 'an engine and a built image',
  inspect: 'a built image',
  'diff-image': 'two built images',
  'export --push': 'a registry',
  'application check': 'a tarball; tests/cli/tarball.test.ts has its tests',
  application: 'a tarball and a cluster; tests/cli/application.test.ts has its tests',
  'host-label': 'a cluster; tests/cli/application.test.ts has its tests',
  'helm-override': 'a cluster; tests/cli/application.test.ts has its tests',
  keygen: 'a file with a passphrase',
  publish: 'a registry',
  verify: 'a registry',
  'plan --from': 'a registry',
  'build --from': 'a registry',
  lock: 'mirrors',
  cache: 'the input cache of all workspaces',
  fetch: 'mirrors',
  test: 'it runs this test',
  doctor: 'this machine may fail a check',
  nx: 'the Git history; tests/nx has its tests',
  up: 'root and a whole machine',
  down: 'a cluster of "ccp up"',
  'deploy delete': 'a cluster',
  'deploy plan': 'a cluster',
  'deploy --online': 'a cluster',
  'deploy apply': 'a cluster',
  'deploy wait': 'a cluster',
  'deploy upgrade': 'a cluster',
  'deploy rollback': 'a cluster',
  'deploy status': 'a cluster',
  'deploy logs': 'a cluster',
  'deploy diff': 'a cluster',
  'deploy action': 'a cluster',
  'deploy backup': 'a cluster',
  'deploy support-bundle': 'a cluster',
  operator: 'a cluster',
  'export operator': 'the image set of a build with its image',
  cves: 'vulnerability data',
  'release create': 'a registry',
  'release show': 'a registry',
  'release diff': 'a registry',
  'release mirror': 'a registry',
  'release bundle': 'a registry',
  'release rebuild': 'a registry',
  'release rollback': 'a registry',
  'release promote': 'a registry',
  'release verify': 'a registry',
  'clean --engine': 'it stops the engine of this machine',
  NODE_OPTIONS: 'it waits for a debugger, or writes a profile',
};

/** Values for the placeholders of the pages. */
const VALUES: Readonly<Record<string, string>> = { SITE: 'example', FILE: '.ccp/sets/2026.1.json' };

const program = await createProgram(REPOSITORY, () => undefined);
const lines = pagesOf(REPOSITORY)
  .filter((page) => /^(README|docs\/[^/]+|docs\/guides\/.+)\.md$/.test(page))
  .flatMap((page) =>
    commandLines(readPage(REPOSITORY, page)).map(({ line, text }) => ({
      place: `${page}:${line}`,
      text: text.replaceAll(/\b[A-Z]+\b(?![=_])/g, (word) => VALUES[word] ?? word),
    })),
  )
  .filter(({ text }) => isWhole(text));
const distinct = Object.values(
  Object.groupBy(lines, ({ text }) => shellWords(text).join(' ').replace(/^\.\//, '')),
);
const keyed = distinct.flatMap((each) => {
  const [{ place, text }] = each as [(typeof lines)[number]];
  return [{ place, text, keys: keysOf(text) }];
});
const runnable = keyed.filter(({ keys }) => RUNS.includes(keys[0] as string));

/** True for a command of the tool with all its arguments, not just a mention of its name. */
function isWhole(text: string): boolean {
  const words = shellWords(text);
  const start = words.findIndex((word) => /^(\.\/)?ccp$/.test(word));
  const args = words.slice(start + 1);
  const group = program.commands.find((each) => each.name() === args.at(-1));
  const isCommand = args.length > 0 && (group?.commands.length ?? 0) === 0;
  return start >= 0 && isCommand && commandFault(program, args) === undefined;
}

/** The entries of the tables that a command has, the most specific one first. */
function keysOf(text: string): readonly string[] {
  const [first = '', ...more] = shellWords(text);
  if (first.startsWith('NODE_OPTIONS=')) return ['NODE_OPTIONS'];
  const [verb = '', ...rest] = more;
  const known = [...RUNS, ...Object.keys(NEEDS)];
  const isOption = (word: string): boolean => word.startsWith('-');
  return [...rest.filter(isOption), ...rest.filter((word) => !isOption(word)), '']
    .map((word) => `${verb} ${word}`.trimEnd())
    .filter((key) => known.includes(key));
}

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = testWorkspace();
  workspace.take('images', 'deploy-specs', 'package.json', 'package-lock.json', 'tools');
  symlinkSync(join(REPOSITORY, 'ccp'), join(workspace.root, 'ccp'));
});
afterAll(() => workspace.remove());
beforeEach(() => {
  const images = readdirSync(join(REPOSITORY, 'images'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
    .map(({ name }) => name);
  workspace.write('.ccp/sets/2026.1.json', missingImageSet(images));
});

/** Runs the text of a page with the shell, in the workspace. */
async function shell(text: string): Promise<CommandResult> {
  const env = { ...process.env, PATH: `${workspace.root}:${process.env['PATH']}` };
  return await new Promise((resolve) => {
    execFile('sh', ['-euc', text], { cwd: workspace.root, env }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr }),
    );
  });
}

describe('the commands of README.md and docs/', () => {
  it.each(runnable.map(({ text, place }) => [shellWords(text).join(' '), place, text] as const))(
    'run: %s (%s)',
    async (_words, _place, text) => {
      const result = await shell(text);
      expect(result, `${result.stdout}\n${result.stderr}`).toMatchObject({ exitCode: 0 });
    },
    180_000,
  );

  it('runs every command here, or has a reason not to', () => {
    const without = keyed.filter(({ keys }) => keys.length === 0);
    expect(without.map(({ place, text }) => `${place}: ${text}`)).toEqual([]);
  });

  it('uses each entry of the two tables', () => {
    const used = new Set(keyed.map(({ keys }) => keys[0]));
    expect([...RUNS, ...Object.keys(NEEDS)].filter((key) => !used.has(key))).toEqual([]);
  });
});
