import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, isDigest, messageOf, parseJson, type Digest } from '#core';
import { openMemo, runTool } from '#host';
import { findSet, type ImageSet, type SetSource } from '#release';
import { connectRegistry, openStore } from '#store';
import { statePaths } from '../state/paths.ts';
import { commitEnvironment } from './commit-environment.ts';
import { originOf, readSettings } from './settings.ts';

export interface RebuildRequest {
  readonly source: SetSource;
  /** URL or path of a repository with the commit. */
  readonly repository: string;
  readonly set: Pick<ImageSet, 'series' | 'format'>;
  /** A new or empty folder for the clone and the rebuilt images. */
  readonly folder: string;
  /** Folder of the running tool, for workspaces without one. */
  readonly own: string;
  readonly onStep: (step: string) => void;
  readonly signal: AbortSignal;
}

export interface RebuiltSet {
  readonly set: ImageSet;
  /** Digest of the set's manifest; it depends on every digest of the set. */
  readonly digest: Digest;
  /** OCI layout with the rebuilt images. */
  readonly store: string;
}

/**
 * Builds an image set again: clones the commit, runs `build` of that commit without cached steps,
 * and its `publish` to a registry on loopback, which adds the statements. Throws `rebuild-failed`.
 */
export async function rebuildSet(request: RebuildRequest): Promise<RebuiltSet> {
  const { source, set, folder, own, onStep, signal } = request;
  const clone = join(folder, 'clone');
  await cloneCommit(request, clone);
  const root = join(clone, source.folder);
  const paths = statePaths(root);
  if (originOf(readSettings(root, openMemo(paths.memo))) !== source.origin)
    writeFileSync(join(root, '.ccp.yaml'), `origin: ${source.origin}\n`);
  const tool = existsSync(join(root, 'ccp')) ? root : own;
  const env = commitEnvironment(process.env, 'build');
  const ccp = (args: readonly string[], logins: NodeJS.ProcessEnv = {}): Promise<string> =>
    runCcp(
      join(tool, 'ccp'),
      ['-C', root, '--json', '--series', set.series, ...args],
      { ...env, ...logins },
      signal,
    );
  onStep(`building ${set.series} in ${root}`);
  await ccp(['build', '--no-cache', '--yes']);
  onStep('making its statements');
  const server = await openStore({ folder: join(folder, 'registry') });
  try {
    const to = `${server.address}/rebuilt`;
    const statements = set.format > 2 ? [] : ['--no-statements'];
    const answer = await ccp(
      ['publish', '--to', to, ...statements],
      loginFiles(folder, server.address, server.login),
    );
    const digest = digestIn(answer);
    const { user, password } = server.login;
    const registry = await connectRegistry({
      host: server.address,
      credentials: () => ({ user, password }),
    });
    const found = await findSet({ registry, prefix: 'rebuilt' }, digest);
    if (found === undefined) throw failed('publish wrote no image set');
    return { set: found.set, digest: found.digest, store: paths.store };
  } finally {
    await server.close();
  }
}

/** The digest of the set in the answer of the clone's `publish`. */
function digestIn(answer: string): Digest {
  try {
    const { digest } = parseJson(answer) as { readonly digest?: unknown };
    if (typeof digest === 'string' && isDigest(digest)) return digest;
  } catch (thrown) {
    throw failed(`\`ccp publish\` in the clone answered in another format: ${messageOf(thrown)}`);
  }
  throw failed('`ccp publish` in the clone named no image set');
}

async function cloneCommit(
  { source, repository, onStep, signal }: RebuildRequest,
  clone: string,
): Promise<void> {
  onStep(`cloning ${repository}`);
  const env = { ...process.env, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
  const git = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await runTool('git', args, {
      env,
      signal,
      missingHint: 'install the package git',
    });
    if (exitCode !== 0) throw failed(`git: ${stderr.trim().split('\n').at(-1)}`);
    return stdout.trim();
  };
  await git('clone', '--quiet', '--no-checkout', '--', repository, clone);
  await git('-C', clone, 'checkout', '--quiet', '--detach', source.commit, '--');
  if ((await git('-C', clone, 'rev-parse', 'HEAD')) !== source.commit)
    throw failed(`the clone has another commit than ${source.commit}`);
}

/** Files with the login of the registry, for the tool in the clone alone. */
function loginFiles(
  folder: string,
  address: string,
  { user, password }: { readonly user: string; readonly password: string },
): NodeJS.ProcessEnv {
  const logins = join(folder, 'logins');
  mkdirSync(logins, { recursive: true, mode: 0o700 });
  const auth = Buffer.from(`${user}:${password}`).toString('base64');
  const file = join(logins, 'config.json');
  writeFileSync(file, JSON.stringify({ auths: { [address]: { auth } } }), { mode: 0o600 });
  return { DOCKER_CONFIG: logins, REGISTRY_AUTH_FILE: file };
}

/** Runs the tool of the clone; resolves with its answer. Its progress goes to standard error. */
async function runCcp(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    if (signal.aborted)
      throw new CcpError({ code: 'cancelled', message: 'the release was not rebuilt' });
    if (exitCode === 0) return stdout;
    const [verb] = args.slice(args.indexOf('--series') + 2);
    throw failed(`\`ccp ${verb}\` in the clone ended with ${exitCode}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function failed(why: string): CcpError {
  return new CcpError({
    code: 'rebuild-failed',
    message: `the release could not be rebuilt: ${why}`,
    hint: 'the messages above have the cause; --source names another repository with the commit',
  });
}
