import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { imageSetText, parseImageSet, setAppSpec } from '#release';
import { FILES, undescribedCommands } from '../../ci/reference/answers.ts';
import { LOCK_SCHEMA, lockSchemaText } from '../../ci/reference/lock-schema-file.ts';
import { answerFaults, readSchema, schemaFaults } from '../helpers/answer-faults.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { storePlannedImage } from '../helpers/store-planned-image.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const TARBALLS = mkdtempSync(join(tmpdir(), 'ccp-tarballs-'));
let workspace: TestWorkspace;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  workspace = testWorkspace();
  env = { CCP_CACHE: join(workspace.root, 'cache'), DOCKER_HOST: 'unix:///nothing.sock' };
  workspace.write(
    'images/series.yaml',
    'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n  "2025.2": { codename: flamingo, suite: trixie, python: "3.13" }\n',
  );
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
  expect(await answer('lock', 'base')).toMatchObject({ exitCode: 0 });
});
afterAll(() => {
  workspace.remove();
  rmSync(TARBALLS, { recursive: true });
});

interface Answer {
  readonly exitCode: number;
  readonly value: unknown;
}

async function answer(...args: readonly string[]): Promise<Answer> {
  const { exitCode, stdout } = await runInProcess(workspace.root, ['--json', '-q', ...args], env);
  return { exitCode, value: JSON.parse(stdout) };
}

/** The name of an answer, a command line, and its exit code. */
const ROWS: readonly (readonly [name: string, line: string, exitCode?: number])[] = [
  ['ccp plan', 'plan'],
  ['ccp explain', 'explain base'],
  ['ccp graph', 'graph'],
  ['ccp validate', 'validate'],
  ['ccp durations', 'durations'],
  ['ccp durations', 'durations --write'],
  ['ccp lock', 'lock'],
  ['ccp lock', 'lock --update'],
  ['ccp lock --check', 'lock --check'],
  ['ccp lock --check', 'lock --check --series 2025.2', 3],
  ['ccp lock --outdated', 'lock --outdated'],
  ['ccp lock --outdated', 'lock --outdated --series 2025.2'],
  ['ccp down', 'down'],
  ['ccp fetch', 'fetch'],
  ['ccp cache', 'cache'],
  ['ccp cache', 'cache prune'],
  ['ccp clean', 'clean'],
  ['ccp doctor', 'doctor', 5],
  ['ccp completion', 'completion bash'],
  ['ccp help', 'help'],
  ['ccp help', 'help deploy plan'],
  ['ccp --version', '--version'],
  ['several series', 'graph --series all'],
  ['error', 'plan bas', 2],
  ['error', 'biuld', 2],
];

it('has a schema for every command, or a reason', async () => {
  expect(await undescribedCommands(REPOSITORY)).toEqual([]);
});

const CASES = ROWS.map(([name, line, exitCode = 0]) => ({ name, line, exitCode }));

it.each(CASES)('describes the answer of $name: ccp $line', async ({ name, line, exitCode }) => {
  const given = await answer(...line.split(' '));
  expect(given.exitCode).toBe(exitCode);
  expect(answerFaults(name, given.value)).toEqual([]);
});

it('describes plan files, and changes since a plan or a commit', async () => {
  const file = join(workspace.root, 'plan.json');
  await answer('plan', '-o', file);
  expect(schemaFaults(FILES['Plan']!, JSON.parse(readFileSync(file, 'utf8')))).toEqual([]);
  const git = (...args: readonly string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args], {
      cwd: workspace.root,
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
    });
  git('init', '-q', '-b', 'main');
  git('add', 'images', '.ccp.yaml');
  git('commit', '-q', '-m', 'one');
  workspace.write('images/base/files/b', 'b\n');
  const explained = await answer('explain', 'base', '--against', file);
  expect(explained.value).toMatchObject({ state: 'changed' });
  expect(answerFaults('ccp explain', explained.value)).toEqual([]);
  const affected = await answer('affected', '--base', 'HEAD');
  expect(affected.value).toMatchObject({ series: [{ affected: [{ image: 'base' }] }] });
  expect(answerFaults('ccp affected', affected.value)).toEqual([]);
});

it('describes the answers for a stored image', async () => {
  await storePlannedImage(workspace.root, 'base', env);
  for (const [name, line] of [
    ['ccp inspect', 'inspect base'],
    ['ccp plan', 'plan base'],
    ['ccp explain', 'explain base'],
  ] as const) {
    const given = await answer(...line.split(' '));
    expect(given.exitCode).toBe(0);
    expect(answerFaults(name, given.value)).toEqual([]);
  }
});

it('describes the answer of ccp diff-image', async () => {
  const [first, second] = [
    await storePlannedImage(workspace.root, 'base', env),
    await storePlannedImage(workspace.root, 'base', env, {
      folder: 'other',
      members: [{ name: 'a', type: 'file', mode: 0o600 }],
    }),
  ];
  const given = await answer('diff-image', first, `oci:other@${second}`);
  expect(given).toMatchObject({ exitCode: 1, value: { equal: false } });
  expect(answerFaults('ccp diff-image', given.value)).toEqual([]);
});

it('describes the answer of ccp keygen', async () => {
  const given = await answer('keygen', join(workspace.root, 'release.key'));
  expect(given.exitCode).toBe(0);
  expect(answerFaults('ccp keygen', given.value)).toEqual([]);
});

describe('the images and sites of the repository', () => {
  beforeAll(() => {
    workspace.take('images', 'deploy-specs', 'package.json', 'package-lock.json', 'tools');
    const images = readdirSync(join(REPOSITORY, 'images'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
      .map(({ name }) => name);
    workspace.write('.ccp/sets/2026.1.json', missingImageSet(images));
  });

  it.each([
    ['ccp plan', 'plan keystone alertmanager horizon'],
    ['ccp explain', 'explain keystone'],
    ['ccp render', 'render example'],
    ['ccp render', 'render example --gates'],
    ['ccp export chart', 'export chart example -o ' + join(tmpdir(), 'ccp-chart')],
    ['ccp export yaml', 'export yaml example -o ' + join(tmpdir(), 'ccp-export')],
    ['ccp export tarball', 'export tarball example -o ' + join(TARBALLS, 'answer.tgz')],
    ['ccp application check', 'application check ' + join(TARBALLS, 'answer.tgz')],
    ['ccp deploy validate', 'deploy validate example'],
    ['ccp deploy explain', 'deploy explain example keystone.replicas.api'],
    ['ccp deploy explain', 'deploy explain example keystone.settings'],
  ])('match the schema of %s: ccp %s', async (name, line) => {
    const given = await answer(...line.split(' '));
    expect(given.exitCode).toBe(0);
    expect(answerFaults(name, given.value)).toEqual([]);
  });

  it('leave no folder if a flag of ccp export chart is wrong', async () => {
    const folder = join(workspace.root, 'refused');
    const line = `export chart example -o ${folder} --push registry.test/charts`;
    const { exitCode, value } = await answer(...line.split(' '));
    expect([exitCode, JSON.stringify(value)]).toEqual([
      2,
      expect.stringContaining('does not start with oci://'),
    ]);
    expect(existsSync(folder)).toBe(false);
  });

  it.each(['keystone', 'alertmanager', 'mariadb'])('matches the schema of locks: %s', (name) => {
    const text = readFileSync(join(REPOSITORY, `images/${name}/lock/2026.1.yaml`), 'utf8');
    expect(schemaFaults(LOCK_SCHEMA, parse(text))).toEqual([]);
  });
});

it('describes image sets of both formats', () => {
  const old = JSON.parse(missingImageSet(['base'])) as { images: readonly object[] };
  const app = setAppSpec('base', { schema: '1.8.0', files: { 'app.yaml': '' } });
  const images = old.images.map((each) => ({ ...each, contentKey: 'k', tests: 't', app }));
  const text = JSON.stringify({ ...old, format: 2, images });
  for (const each of [JSON.stringify(old), text]) {
    const written = imageSetText(parseImageSet(each, 'set.json'));
    expect(schemaFaults(FILES['Image set']!, JSON.parse(written))).toEqual([]);
  }
  expect(schemaFaults(FILES['Image set']!, { ...old, more: 1 })).toEqual([
    ' must NOT have additional properties {"additionalProperty":"more"}',
  ]);
});

it('has the schema of locks that ccp checks them with', async () => {
  expect(readSchema(LOCK_SCHEMA), 'run "npm run docs"').toEqual(JSON.parse(await lockSchemaText()));
});
