import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError, codeOf } from '#core';

export interface GitOptions {
  readonly input?: string;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  readonly env?: NodeJS.ProcessEnv;
}

const MAX_OUTPUT_BYTES = 256 << 20;

/** Timeout for git about a checkout, which reads at most the index. */
const CHECKOUT_TIMEOUT_MS = 20_000;

/**
 * Runs git in a folder of the user's repository. Throws `tool-missing` without git, and
 * `machine-git` for a repository of another user and after the timeout.
 */
export function runGit(
  folder: string,
  args: readonly string[],
  { input = '', maxBytes = MAX_OUTPUT_BYTES, timeoutMs, env = process.env }: GitOptions = {},
): SpawnSyncReturns<Buffer> {
  const result = spawnSync('git', ['-c', 'core.fsmonitor=false', ...args], {
    cwd: folder,
    input,
    maxBuffer: maxBytes,
    timeout: timeoutMs,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' },
  });
  const code = codeOf(result.error);
  if (code === 'ENOENT')
    throw new CcpError({
      code: 'tool-missing',
      message: 'git is not installed',
      hint: 'install the package git',
    });
  if (code === 'ETIMEDOUT')
    throw new CcpError({
      code: 'machine-git',
      message: `git ${args[0]} in ${folder} did not end within ${timeoutMs! / 1000} s`,
      hint: 'check with `git status` there that the repository and its file system respond',
    });
  // git can end before it has read its input.
  if (result.error !== undefined && code !== 'EPIPE') throw result.error;
  const refused = ownerFault(result);
  if (refused !== undefined) throw refused;
  return result;
}

/** The last line that git printed to stderr, or its exit code. */
export function lastGitLine({ stderr, status }: SpawnSyncReturns<Buffer>): string {
  return stderr.toString().trimEnd().split('\n').at(-1) || `exit code ${status}`;
}

/**
 * The output of git about the checkout at `root`; `undefined` outside a repository. `empty` is the
 * exit code for an empty answer. Throws the errors of `runGit`, and `machine-git` if git fails.
 */
export function askCheckout(
  root: string,
  args: readonly string[],
  { input, empty = 0 }: { readonly input?: string; readonly empty?: number } = {},
): string | undefined {
  if (!isInRepository(root)) return undefined;
  const result = runGit(root, args, { input: input ?? '', timeoutMs: CHECKOUT_TIMEOUT_MS });
  if (result.status === 0 || result.status === empty) return result.stdout.toString();
  if (/not a git repository \(or any/.test(result.stderr.toString())) return undefined;
  throw new CcpError({
    code: 'machine-git',
    message: `git ${args[0]} failed in ${root}: ${lastGitLine(result)}`,
    hint: 'repair the repository; `git status` there shows the same error',
  });
}

/** True if the folder or one above it has a `.git`, or a hook names its repository. */
function isInRepository(folder: string): boolean {
  if (process.env['GIT_DIR'] !== undefined || existsSync(join(folder, '.git'))) return true;
  return folder !== dirname(folder) && isInRepository(dirname(folder));
}

/**
 * git reads no repository of another user, since the repository's configuration can run programs.
 */
function ownerFault({ status, stderr }: SpawnSyncReturns<Buffer>): CcpError | undefined {
  if (status === 0) return undefined;
  const [, path] = /dubious ownership in repository at '(.*)'/.exec(stderr.toString()) ?? [];
  if (path === undefined) return undefined;
  return new CcpError({
    code: 'machine-git',
    message: `git does not read ${path}: the repository belongs to another user ("dubious ownership")`,
    hint: `run the command as its owner, or trust it: git config --global --add safe.directory ${quoted(path)}`,
  });
}

function quoted(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
