import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccp, ccpJson } from '../helpers/ccp.ts';
import { serveGit } from '../helpers/git-server.ts';
import { linkStore } from '../helpers/link-store.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

interface PlanJson {
  readonly images: readonly {
    readonly image: string;
    readonly fingerprint: string;
    readonly action: string;
  }[];
}

const MIRROR = 'https://git.invalid/';
let workspace: TestWorkspace;
let sources: string;
let server: Awaited<ReturnType<typeof serveGit>>;

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(
    'git',
    ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'init.defaultBranch=main', ...args],
    { cwd, encoding: 'utf8' },
  ).trim();

function commit(greeting: string): string {
  const work = join(sources, 'work');
  writeFileSync(join(work, 'greeting'), `${greeting}\n`);
  git(work, 'add', '.');
  git(work, 'commit', '-qm', greeting);
  git(work, 'push', '-q', join(sources, 'hello.git'), 'main');
  return git(work, 'rev-parse', 'HEAD');
}

function define(repository: string): void {
  workspace.write(
    'images/hello/image.yaml',
    [
      'title: Hello',
      'description: A file from a git source.',
      'parents: { base: debian-base }',
      `sources: { hello: { repository: "${repository}", refs: { "2026.1": main } } }`,
      'user: { name: hello, uid: 42999, gid: 42999, home: /nonexistent }',
      '',
    ].join('\n'),
  );
}

const fingerprint = async (): Promise<string> =>
  (await ccpJson<PlanJson>(workspace.root, ['plan', 'hello'])).images.find(
    ({ image }) => image === 'hello',
  )?.fingerprint as string;

beforeAll(async () => {
  sources = mkdtempSync(join(tmpdir(), 'ccp-sources-'));
  git(sources, 'init', '-q', '--bare', 'hello.git');
  git(sources, 'init', '-q', 'work');
  workspace = testWorkspace('git');
  workspace.take('images/debian-base', 'images/series.yaml', 'images/_shared');
  linkStore(workspace.root);
  workspace.write(
    'images/hello/Dockerfile.njk',
    [
      'ARG CCP_PARENT_BASE',
      'FROM ${CCP_PARENT_BASE}',
      'RUN --mount=type=tmpfs,target=/run --mount=type=bind,source=.inputs/sources,target=/run/sources \\',
      '    mkdir /opt/hello && tar -C /opt/hello --strip-components=1 --no-same-owner -xf /run/sources/hello.tar \\',
      '    && echo "hello:x:42999:42999::/nonexistent:/usr/sbin/nologin" >> /etc/passwd',
      'USER 42999:42999',
      'CMD ["cat", "/opt/hello/greeting"]',
      '',
    ].join('\n'),
  );
  server = await serveGit(sources);
});

afterAll(async () => {
  await server.close();
  workspace.remove();
  rmSync(sources, { recursive: true, force: true });
});

it('builds the locked commit although its branch has moved, over file:// and http; a mirror changes nothing', async () => {
  const first = commit('first');
  define(`file://${sources}/hello.git`);
  await ccpJson(workspace.root, ['lock', 'hello']);
  const built = await ccp(workspace.root, ['build', 'hello', '--yes']);
  expect(built, built.stderr).toMatchObject({ exitCode: 0 });
  const overFile = await fingerprint();

  const second = commit('second');
  expect(second).not.toBe(first);
  const again = await ccp(workspace.root, ['build', 'hello', '--rebuild', '--yes']);
  expect(again, again.stderr).toMatchObject({ exitCode: 0 });
  expect(await fingerprint()).toBe(overFile);
  expect((await ccp(workspace.root, ['run', 'hello'])).stdout).toBe('first\n');

  define(`${server.url}/hello.git`);
  await ccpJson(workspace.root, ['lock', 'hello']);
  const moved = await ccp(workspace.root, ['build', 'hello', '--yes']);
  expect(moved, moved.stderr).toMatchObject({ exitCode: 0 });
  expect((await ccp(workspace.root, ['run', 'hello'])).stdout).toBe('second\n');

  define(`${MIRROR}hello.git`);
  workspace.write(
    '.ccp.yaml',
    `origin: git\nmirrors: { git: { "${MIRROR}": "${server.url}/" } }\n`,
  );
  await ccpJson(workspace.root, ['lock', 'hello']);
  const overHttp = await fingerprint();
  workspace.write(
    '.ccp.yaml',
    `origin: git\nmirrors: { git: { "${MIRROR}": "file://${sources}/" } }\n`,
  );
  const fromMirror = await ccp(workspace.root, ['build', 'hello', '--yes', '--rebuild']);
  expect(fromMirror, fromMirror.stderr).toMatchObject({ exitCode: 0 });
  expect(await fingerprint()).toBe(overHttp);
});
