import type { SpawnSyncReturns } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, isRecord } from '#core';
import { lastGitLine, runGit, type GitOptions } from '../git.ts';

/** A git repository with a workspace, read through git's plumbing commands. */
export interface Repository {
  /** Absolute path of the top-level folder. */
  readonly top: string;
  /** The workspace's folder relative to `top`; empty if it is the same. */
  readonly prefix: string;
  /** Runs git at the top; throws `machine-git` if it fails. */
  git(args: readonly string[], options?: Omit<GitOptions, 'env'>): Buffer;
  /** True if git succeeds. */
  succeeds(args: readonly string[]): boolean;
}

const HOOK = new Set(['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX']);

/**
 * Opens the repository around the workspace at `root`. Throws `machine-git` without one, and the
 * errors of `runGit`.
 */
export function openRepository(root: string): Repository {
  const real = realpathSync(root);
  const found = runIn(real, ['rev-parse', '--show-toplevel']);
  if (found.status !== 0)
    throw new CcpError({
      code: 'machine-git',
      message: `${root} is not in a git repository: ${lastGitLine(found)}`,
      hint: 'run the command in a clone of the workspace',
    });
  const top = found.stdout.toString().replace(/\n$/, '');
  return {
    top,
    prefix: relative(realpathSync(top), real),
    git: (args, options) => {
      const result = runIn(top, args, options);
      if (result.status === 0) return result.stdout;
      throw new CcpError({
        code: 'machine-git',
        message: `git ${args[0]} failed: ${lastGitLine(result)}`,
      });
    },
    succeeds: (args) => runIn(top, args).status === 0,
  };
}

/** The commit of a ref; undefined if the repository does not have it. */
export function commitOf({ top }: Repository, ref: string): string | undefined {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const { status, stdout } = runIn(top, args);
  return status === 0 ? stdout.toString().trim() : undefined;
}

/**
 * The commit that `head` branched off `base`. Without `base` it is the default branch, as for Nx:
 * `defaultBase` of nx.json, else `main`, of this clone or else of `origin`. Throws `usage` for a
 * ref that the repository does not have, and `machine-git` without a common commit.
 */
export function baseCommit(
  repository: Repository,
  base: string | undefined,
  head: string,
  root: string,
): string {
  const known = base ?? defaultBase(root);
  const candidates = base === undefined ? [known, `origin/${known}`] : [base];
  const commits = candidates.map((ref) => commitOf(repository, ref));
  const commit = commits.find((each) => each !== undefined);
  if (commit === undefined)
    throw new CcpError({
      code: 'usage',
      message: `the repository has no commit ${candidates.join(' or ')}`,
      hint: 'name a branch, tag or commit with --base; fetch it first in a shallow clone',
    });
  const common = runIn(repository.top, ['merge-base', commit, head]);
  if (common.status === 0) return common.stdout.toString().trim();
  throw new CcpError({
    code: 'machine-git',
    message: `${base ?? candidates[commits.indexOf(commit)]} and ${head} have no common commit`,
    hint: 'a shallow clone needs more history: git fetch --unshallow',
  });
}

function defaultBase(root: string): string {
  try {
    const nx: unknown = JSON.parse(readFileSync(join(root, 'nx.json'), 'utf8'));
    const base = isRecord(nx) ? nx['defaultBase'] : undefined;
    return typeof base === 'string' ? base : 'main';
  } catch {
    return 'main';
  }
}

/** The environment without the variables by which git names the repository of a running hook. */
function withoutHook(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !HOOK.has(name)));
}

function runIn(
  folder: string,
  args: readonly string[],
  options: GitOptions = {},
): SpawnSyncReturns<Buffer> {
  return runGit(folder, args, { ...options, env: withoutHook(process.env) });
}
