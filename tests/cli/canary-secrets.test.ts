import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

/** Secrets that a machine of a release engineer may have, by their place. */
const CANARIES = [
  'docker-config',
  'auth-file',
  'passphrase',
  'proxy',
  'environment',
  'git-remote',
  'git-config',
  'workspace-mirror',
  'kubeconfig',
  'pip-config',
  'npm-config',
  'netrc',
].map((place) => [place, `canary-${Buffer.from(place).toString('hex')}`] as const);
const canary = (place: string): string => CANARIES.find(([name]) => name === place)![1];

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
  mkdirSync(join(home, '.config/pip'), { recursive: true });
  const write = (path: string, text: string): void => writeFileSync(join(home, path), text);
  const login = (place: string): string => Buffer.from(`user:${canary(place)}`).toString('base64');
  const auths = (place: string): string =>
    JSON.stringify({ auths: { [test.registry.address]: { auth: login(place) } } });
  write('config.json', auths('docker-config'));
  write('auth.json', auths('auth-file'));
  write('passphrase', `${canary('passphrase')}\n`);
  write('.gitconfig', `[http]\n\textraHeader = "Authorization: ${canary('git-config')}"\n`);
  write('kubeconfig', `users: [{ name: a, user: { token: ${canary('kubeconfig')} } }]\n`);
  write(
    '.config/pip/pip.conf',
    `[global]\nindex-url = https://u:${canary('pip-config')}@pypi.test/\n`,
  );
  write('.npmrc', `//npm.test/:_authToken=${canary('npm-config')}\n`);
  write('.netrc', `machine a.test login u password ${canary('netrc')}\n`);
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
    PATH: `${programs}:${process.env['PATH']}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    CCP_CACHE: join(test.folder, 'cache'),
    DOCKER_CONFIG: home,
    REGISTRY_AUTH_FILE: join(home, 'auth.json'),
    KUBECONFIG: join(home, 'kubeconfig'),
    HTTPS_PROXY: `http://u:${canary('proxy')}@127.0.0.1:9`,
    RELEASE_TOKEN: canary('environment'),
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
  const found: string[] = [];
  for (const [place, text] of CANARIES) {
    for (const file of files) {
      const bytes = readFileSync(file);
      const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes;
      const base64 = Buffer.from(`user:${text}`).toString('base64');
      if (plain.includes(text) || plain.includes(base64)) found.push(`${place} in ${file}`);
    }
    if (printed.some((output) => output.includes(text))) found.push(`${place} in the output`);
  }
  expect(found).toEqual([]);
});
