import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerFaults } from '../helpers/answer-faults.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

/** The `ccp` of the workspace: its builds need no engine. */
const PROGRAM = `#!/bin/sh
case " $* " in *' build '*) ${process.execPath} ${REPOSITORY}/tests/helpers/build-in-clone.ts "$2" ;; esac
exec ${REPOSITORY}/ccp "$@"
`;

let test: PublishingTest;
let builder: TestWorkspace;
let place: string;
let key: string;
let commit: string;

const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-C', builder.root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
const commitAll = (): string => {
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a');
  return git('rev-parse', 'HEAD');
};
const create = (version: string) =>
  test.run(builder, 'release', 'create', version, '--to', place, '--key', key);
const rebuild = (...args: readonly string[]) =>
  test.run(builder, 'release', 'rebuild', '2026.1.0', '--from', place, ...args);

beforeAll(async () => {
  test = await publishingTest();
  builder = await test.workspace();
  place = `${test.registry.address}/ccp`;
  key = join(test.folder, 'release.key');
  await test.run(builder, 'keygen', key);
  builder.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
  builder.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  builder.write('.gitignore', '.ccp/\n');
  builder.write('ccp', PROGRAM, 0o755);
  git('init', '--quiet');
  commit = commitAll();
  await test.build(builder);
});
afterAll(() => test?.close());

it('refuses a release of images that no commit has', async () => {
  builder.write('images/base/files/a', 'other\n');
  await test.build(builder);
  expect(await create('2026.1.0')).toEqual({
    exitCode: 6,
    stdout: '',
    stderr: `ccp: commit ${commit.slice(0, 12)} gives other images than the image set: base\n  -> commit the definitions and locks of the set, so that the release can be rebuilt`,
  });
  git('checkout', '--quiet', '.');
  await test.build(builder);
});

it('creates no release without a commit if git cannot read the repository', async () => {
  renameSync(join(builder.root, '.git'), join(test.folder, 'git'));
  builder.write('.git', 'no repository\n');
  const { exitCode, stderr } = await create('2026.1.0');
  rmSync(join(builder.root, '.git'));
  renameSync(join(test.folder, 'git'), join(builder.root, '.git'));
  expect([exitCode, stderr]).toEqual([
    5,
    expect.stringMatching(
      /^ccp: git rev-parse failed in .*: fatal: invalid gitfile format: .*\n {2}-> repair the repository; /,
    ),
  ]);
});

it('builds a release again from its commit, with equal digests', async () => {
  expect(await create('2026.1.0')).toMatchObject({ exitCode: 0 });
  builder.write('images/base/files/a', 'newer\n');
  commitAll();
  const { exitCode, stdout } = await rebuild('--source', builder.root);
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringMatching(
      new RegExp(
        `^2026\\.1\\.0 was rebuilt: 1 image at commit ${commit.slice(0, 12)}, all digests are equal \\(sha256:[0-9a-f]{64}\\)$`,
      ),
    ),
  ]);
  expect(readdirSync(join(builder.root, '.ccp/rebuild'))).toEqual([]);
});

it('asks for a repository if the provenance names none', async () => {
  expect(await rebuild()).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ccp: the provenance of 2026.1.0 names commit ${commit} without a repository\n  -> name a repository that has the commit with --source`,
  });
});

it('names the files that differ in a rebuilt image', async () => {
  const folder = join(test.folder, 'rebuilt');
  process.env['CCP_TEST_CONTENT'] = ' and more';
  try {
    const run = await rebuild('--source', builder.root, '--folder', folder, '--json');
    expect(run.exitCode).toBe(1);
    const answer = JSON.parse(run.stdout) as { readonly differences: readonly object[] };
    expect(answerFaults('ccp release rebuild', answer)).toEqual([]);
    expect(answer).toMatchObject({
      commit,
      equal: false,
      differences: [
        {
          image: 'base',
          difference: { layers: [{ layer: 1, members: [{ path: 'a' }] }] },
        },
      ],
    });
    const again = await rebuild('--source', builder.root);
    expect(again.exitCode).toBe(1);
    expect(again.stdout).toMatch(
      /^base differs: .*\bdigest\b.*\n {2}layer 1: .*\n {4}a: size 64 and 73.*\n(?:.*\n)* {2}ccp diff-image oci:\.ccp\/rebuild\/run-\w+\/released@sha256:\S+ oci:\S+\n1 image at commit \w+: 1 image of the rebuilt set differs$/,
    );
    expect(existsSync(join(folder, 'clone/images/base/image.yaml'))).toBe(true);
  } finally {
    delete process.env['CCP_TEST_CONTENT'];
  }
  expect(await rebuild('--source', builder.root, '--folder', folder)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ccp: ${folder} is not empty\n  -> name a new folder with --folder`,
  });
});

it('says that a repository lacks the commit, and keeps no folder', async () => {
  const other = await test.workspace();
  execFileSync('git', ['-C', other.root, 'init', '--quiet']);
  const kept = readdirSync(join(builder.root, '.ccp/rebuild'));
  const { exitCode, stderr } = await rebuild('--source', other.root);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringMatching(
      /ccp: the release could not be rebuilt: git: fatal: .*\n {2}-> the messages above have the cause; --source names another repository with the commit$/,
    ),
  ]);
  expect(readdirSync(join(builder.root, '.ccp/rebuild'))).toEqual(kept);
});
