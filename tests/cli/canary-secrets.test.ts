import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canary, findCanaries, writeCanaries } from '../helpers/canaries.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

let test: PublishingTest;
let workspace: TestWorkspace;
let home: string;
let env: Record<string, string>;
const printed: string[] = [];

const git = (...args: readonly string[]): void =>
  void execFileSync(
    'git',
    ['-C', workspace.root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args],
    {
      stdio: 'pipe',
    },
  );

beforeAll(async () => {
  test = await publishingTest();
  workspace = await test.workspace();
  home = join(test.folder, 'home');
  const secrets = writeCanaries(home, test.registry.address);
  workspace.write('.gitignore', '.ccp/\n.ccp.yaml\n');
  workspace.write(
    '.ccp.yaml',
    `origin: archive\nmirrors: { debian: ["https://u:${canary('workspace-mirror')}@debian.test/"] }\n`,
  );
  git('init', '--quiet');
  git('remote', 'add', 'origin', `https://u:${canary('git-remote')}@git.test/a.git`);
  git('add', '--all');
  git('commit', '--quiet', '--message', 'a');
  await test.build(workspace);
  // Records the arguments of each git process, which every user of the machine can read.
  const programs = join(test.folder, 'bin');
  mkdirSync(programs);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const list = join(test.folder, 'processes');
  writeFileSync(
    join(programs, 'git'),
    `#!/bin/sh\necho "git $*" >> '${list}'\nexec '${real}' "$@"\n`,
    { mode: 0o755 },
  );
  env = {
    ...secrets,
    PATH: `${programs}:${process.env['PATH']}`,
    CCP_CACHE: join(test.folder, 'cache'),
  };
});
afterAll(() => test?.close());

async function run(...args: readonly string[]): Promise<number> {
  const { exitCode, stdout, stderr } = await runInProcess(
    workspace.root,
    ['--verbose', ...args],
    env,
  );
  printed.push(stdout, stderr);
  return exitCode;
}

it('shows no secret of the machine in a registry, a bundle, the state, processes or its output', async () => {
  const key = join(test.folder, 'release.key');
  const secret = ['--passphrase-file', join(home, 'passphrase')];
  const place = `${test.registry.address}/ccp`;
  const bundle = join(test.folder, '2026.1.0.tar');
  const signed = ['--key', key, ...secret];
  expect(await run('keygen', key, ...secret)).toBe(0);
  const reader = ['--from', place, '--trust', `${key}.pub`];
  expect(await run('release', 'create', '2026.1.0', '--to', place, ...signed)).toBe(0);
  const promote = ['release', 'promote', '2026.1.0', '--to', 'stable', '--from', place];
  expect(await run(...promote, ...signed)).toBe(0);
  expect(await run('release', 'verify', 'stable', '--deep', ...reader)).toBe(0);
  expect(await run('release', 'bundle', 'stable', ...reader, '-o', bundle)).toBe(0);
  // Failures: a refused login, a registry behind the proxy, a wrong passphrase.
  test.registry.fault = (_, response) => response.writeHead(401).end('denied');
  expect(await run('publish', '--to', `${test.registry.address}/other`, ...signed)).toBe(6);
  test.registry.fault = () => undefined;
  expect(await run('release', 'show', '2026.1.0', ...reader, '-o', join(home, 'none', 'a'))).toBe(
    2,
  );
  expect(await run('plan', '--json')).toBe(0);

  const files = [
    ...globSync('**', { cwd: join(test.folder, 'store') }).map((path) =>
      join(test.folder, 'store', path),
    ),
    ...globSync('.ccp/**', { cwd: workspace.root }).map((path) => join(workspace.root, path)),
    bundle,
    key,
    `${key}.pub`,
    join(test.folder, 'processes'),
  ].filter((path) => statSync(path).isFile());
  expect(files.length).toBeGreaterThan(20);
  expect(findCanaries(files, { 'the output': printed.join('\n') })).toEqual([]);
});
