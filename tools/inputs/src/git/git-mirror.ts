import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SimpleGit } from 'simple-git';
import { CcpError, messageOf, redact, sha256 } from '#core';
import { makeFolder } from '#host';
import { cacheError } from '../cache/cache-errors.ts';
import { retrying, TransientError, type RetryPolicy } from '../fetch/retry.ts';
import { checkUrl, rewriteUrl } from './check-source.ts';
import { ensureMirror, gitIn, requireGit } from './git-process.ts';

export interface MirrorOptions {
  /** Folder of all mirrors. */
  readonly folder: string;
  readonly rewrites: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  readonly retry: RetryPolicy;
}

/** Refs that keep locked commits, whatever becomes of the branches they came from. */
const KEEP = 'refs/ccp';
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
const OPTIONS = ['--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules', '--progress'];

/** The server knows git but not this way of asking: dumb HTTP, no requests by commit, or the commit is not there. */
const NOT_BY_COMMIT = /not our ref|unadvertised object|dumb http|couldn't find remote ref|does not support shallow|no matching remote head/i;
const PASSING = /early EOF|RPC failed|timed? ?out|error: 5\d\d|reset by peer|hung up|\.lock'?: File exists|block timeout reached/i;
const SILENCE_MS = 120_000;

/** One repository's bare mirror, named by the URL of its definition. */
export class GitMirror {
  readonly path: string;
  readonly url: string;
  readonly #asked: string;
  readonly #protocol: string;
  readonly #options: MirrorOptions;

  /** Raises `source-invalid`. */
  constructor(url: string, options: MirrorOptions) {
    checkUrl(url);
    this.url = url;
    this.#asked = rewriteUrl(url, options.rewrites);
    this.#protocol = checkUrl(this.#asked).protocol.replace(':', '');
    this.#options = options;
    this.path = join(options.folder, sha256(url).slice(0, 32));
  }

  /** git in the mirror, made where it is not there yet. Raises `tool-missing`, and faults of the cache (`cacheError`). */
  async git(signal?: AbortSignal, silenceMs = SILENCE_MS): Promise<SimpleGit> {
    requireGit(this.#options.env);
    try {
      makeFolder(this.#options.folder);
      await ensureMirror(this.path);
    } catch (cause) {
      throw cacheError(cause, this.#options.folder);
    }
    return gitIn({ mirror: this.path, protocol: this.#protocol, env: this.#options.env, signal, silenceMs });
  }

  /** Raises `tool-missing`. */
  async answers(timeoutMs: number): Promise<boolean> {
    const git = await this.git(AbortSignal.timeout(timeoutMs), timeoutMs);
    try {
      await git.raw(['ls-remote', '--heads', '--', this.#asked]);
      return true;
    } catch {
      return false;
    }
  }

  /** Raises `tool-missing`. */
  async hasCommit(commit: string): Promise<boolean> {
    const git = await this.git();
    try {
      await git.raw(['cat-file', '-e', `${commit}^{commit}`]);
      return true;
    } catch {
      return false;
    }
  }

  /** Brings the commit alone where the server gives it, else all branches and tags. Raises `source-unreachable`, `source-commit-missing`. */
  async fetchCommit(commit: string, signal?: AbortSignal): Promise<void> {
    if (await this.hasCommit(commit)) return;
    try {
      await this.#fetch(['--depth=1', '--no-tags'], [`${commit}:${KEEP}/${commit}`], signal);
    } catch (thrown) {
      if (!NOT_BY_COMMIT.test(messageOf(thrown))) throw thrown;
      await this.fetchAll(signal);
    }
    if (!(await this.hasCommit(commit))) {
      throw new CcpError({
        code: 'source-commit-missing',
        message: `${redact(this.#asked)} has no commit ${commit}`,
        hint: 'it was removed from its branch, or the mirror is behind: lock again ("ccp lock --update") or name another mirror in .ccp.yaml ("mirrors.git")',
      });
    }
    await (await this.git(signal)).raw(['update-ref', `${KEEP}/${commit}`, commit]);
  }

  /** Brings all branches and tags with their history. Raises `source-unreachable`. */
  async fetchAll(signal?: AbortSignal): Promise<void> {
    const whole = existsSync(join(this.path, 'shallow')) ? ['--unshallow'] : [];
    await this.#fetch(['--prune', '--force', ...whole], ALL_REFS, signal);
  }

  async #fetch(options: readonly string[], refs: readonly string[], signal = new AbortController().signal): Promise<void> {
    await retrying(
      async () => {
        const git = await this.git(signal);
        try {
          await git.raw(['fetch', ...OPTIONS, ...options, '--', this.#asked, ...refs]);
        } catch (cause) {
          throw this.#fetchError(cause);
        }
      },
      this.#options.retry,
      signal,
      () => undefined,
    ).catch((thrown: unknown) => {
      if (signal.aborted) throw this.#cancelled(thrown);
      throw thrown instanceof TransientError ? thrown.cause : thrown;
    });
  }

  #cancelled(cause: unknown): CcpError {
    return new CcpError({ code: 'cancelled', message: `fetching ${redact(this.#asked)} was cancelled`, cause });
  }

  #fetchError(cause: unknown): Error {
    const text = messageOf(cause);
    const told = text.split('\n').filter((line) => /^(?:fatal|error|remote|ssh)\b|block timeout|permission denied|host key verification failed/i.test(line));
    const error = new CcpError({
      code: 'source-unreachable',
      message: `git cannot fetch ${redact(this.#asked)}: ${told.join('; ') || text.trim().split('\n').at(-1)}`,
      hint:
        this.#protocol === 'file'
          ? 'look at the path: it must be a git repository that this user may read'
          : 'check the network and proxy; name a mirror in .ccp.yaml ("mirrors.git"), or take published archives ("origin: archive")',
      cause,
    });
    return PASSING.test(text) ? new TransientError(error.message, undefined, error) : error;
  }
}
