import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SimpleGit } from 'simple-git';
import { CcpError, messageOf, redact, type RetryPolicy, sha256 } from '#core';
import { makeFolder } from '#host';
import type { SourceProgress } from '#ports';
import { cacheError } from '../cache/cache-errors.ts';
import { retryTransient, TransientError } from '../download/retry.ts';
import { checkUrl, rewriteUrl } from './check-source.ts';
import { endingGit } from './end-git.ts';
import { ensureMirror, openGit, requireGit } from './git-process.ts';

export interface MirrorOptions {
  /** Folder of all mirrors. */
  readonly folder: string;
  readonly rewrites: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  readonly retry: RetryPolicy;
}

/** Cancellation and progress of a fetch. */
interface MirrorFetch {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: SourceProgress) => void) | undefined;
}

/** Refs that keep locked commits even if their branches change. */
const KEEP = 'refs/ccp';
const ALL_REFS = ['+refs/heads/*:refs/heads/*', '+refs/tags/*:refs/tags/*'];
const OPTIONS = [
  '--no-write-fetch-head',
  '--no-auto-maintenance',
  '--no-recurse-submodules',
  '--progress',
];

/**
 * git's messages if the server cannot serve single commits (dumb HTTP or its configuration), or
 * does not have this commit.
 */
const NOT_BY_COMMIT =
  /not our ref|unadvertised object|dumb http|couldn't find remote ref|does not support shallow|no matching remote head/i;
const TRANSIENT =
  /early EOF|RPC failed|timed? ?out|error: 5\d\d|reset by peer|hung up|\.lock'?: File exists|block timeout reached/i;
const SILENCE_MS = 120_000;

/** The bare mirror of one repository, named by the URL in the image definition. */
export class GitMirror {
  readonly path: string;
  readonly url: string;
  readonly #remote: string;
  readonly #protocol: string;
  readonly #options: MirrorOptions;

  /** Raises `source-invalid`. */
  constructor(url: string, options: MirrorOptions) {
    checkUrl(url);
    this.url = url;
    this.#remote = rewriteUrl(url, options.rewrites);
    this.#protocol = checkUrl(this.#remote).protocol.replace(':', '');
    this.#options = options;
    this.path = join(options.folder, sha256(url).slice(0, 32));
  }

  /**
   * Opens git in the mirror, creating the mirror if it does not exist. Raises `tool-missing`, and
   * the cache's errors (`cacheError`).
   */
  async git(
    signal?: AbortSignal,
    silenceMs = SILENCE_MS,
    onProgress?: MirrorFetch['onProgress'],
  ): Promise<SimpleGit> {
    requireGit(this.#options.env);
    try {
      makeFolder(this.#options.folder);
      await ensureMirror(this.path);
    } catch (cause) {
      throw cacheError(cause, this.#options.folder);
    }
    return openGit({
      mirror: this.path,
      protocol: this.#protocol,
      env: this.#options.env,
      signal,
      silenceMs,
      onProgress,
    });
  }

  /** Whether the repository can be reached before `cancel` aborts. Raises `tool-missing`. */
  async isReachable(timeoutMs: number, cancel?: AbortSignal): Promise<boolean> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = cancel === undefined ? timeout : AbortSignal.any([timeout, cancel]);
    const git = await this.git(signal, timeoutMs);
    try {
      await endingGit(this.path, signal, () =>
        git.raw(['ls-remote', '--heads', '--', this.#remote]),
      );
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

  /**
   * Fetches the single commit if the server allows it, else all branches and tags. Raises
   * `source-unreachable`, `source-commit-missing`.
   */
  async fetchCommit(commit: string, options: MirrorFetch = {}): Promise<void> {
    if (await this.hasCommit(commit)) return;
    try {
      await this.#fetch(['--depth=1', '--no-tags'], [`${commit}:${KEEP}/${commit}`], options);
    } catch (thrown) {
      if (!NOT_BY_COMMIT.test(messageOf(thrown))) throw thrown;
      await this.fetchAll(options);
    }
    if (!(await this.hasCommit(commit))) {
      throw new CcpError({
        code: 'source-commit-missing',
        message: `${redact(this.#remote)} has no commit ${commit}`,
        hint: 'the commit was removed from its branch, or the mirror is out of date: lock again ("ccp lock --update") or name another mirror in .ccp.yaml ("mirrors.git")',
      });
    }
    await (await this.git(options.signal)).raw(['update-ref', `${KEEP}/${commit}`, commit]);
  }

  /** Fetches all branches and tags with their history. Raises `source-unreachable`. */
  async fetchAll(options: MirrorFetch = {}): Promise<void> {
    const whole = existsSync(join(this.path, 'shallow')) ? ['--unshallow'] : [];
    await this.#fetch(['--prune', '--force', ...whole], ALL_REFS, options);
  }

  async #fetch(
    options: readonly string[],
    refs: readonly string[],
    { signal = new AbortController().signal, onProgress }: MirrorFetch,
  ): Promise<void> {
    await retryTransient(
      async () => {
        const git = await this.git(signal, SILENCE_MS, onProgress);
        try {
          await endingGit(this.path, signal, () =>
            git.raw(['fetch', ...OPTIONS, ...options, '--', this.#remote, ...refs]),
          );
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
    return new CcpError({
      code: 'cancelled',
      message: `fetching ${redact(this.#remote)} was cancelled`,
      cause,
    });
  }

  #fetchError(cause: unknown): Error {
    const text = messageOf(cause);
    const reasons = text
      .split('\n')
      .filter((line) =>
        /^(?:fatal|error|remote|ssh)\b|block timeout|permission denied|host key verification failed/i.test(
          line,
        ),
      );
    const error = new CcpError({
      code: 'source-unreachable',
      message: `git cannot fetch ${redact(this.#remote)}: ${reasons.join('; ') || text.trim().split('\n').at(-1)}`,
      hint:
        this.#protocol === 'file'
          ? 'check the path: it must be a git repository that this user can read'
          : 'check the network and proxy; name a mirror in .ccp.yaml ("mirrors.git"), or use published archives ("origin: archive")',
      cause,
    });
    return TRANSIENT.test(text) ? new TransientError(error.message, undefined, error) : error;
  }
}
