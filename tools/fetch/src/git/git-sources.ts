import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CcpError, omitUndefined, redact, type RetryPolicy } from '#core';
import { readTar, writeTar, type TarEntry, type TarHeader } from '#formats/tar';
import type { GitSource, ResolvedRef, SourceFetcher } from '#ports';
import { checkCommit, checkRef } from './check-source.ts';
import { GitMirror, type MirrorOptions } from './git-mirror.ts';
import { developmentVersion, highestVersion, isVersionTag } from './pbr-version.ts';
import { submodulesOf } from './submodules.ts';

export interface GitSourcesOptions {
  /**
   * Folder of bare mirrors, with a subfolder per user: git refuses repositories owned by another
   * user.
   */
  readonly folder: string;
  /** URL prefix -> replacement. The source's identity does not change. */
  readonly rewrites?: Readonly<Record<string, string>>;
  readonly env?: NodeJS.ProcessEnv;
  readonly retry?: RetryPolicy;
}

/** Top folder of every archive. */
const PREFIX = 'source';

/**
 * Fetches git sources into bare mirrors with simple-git, which needs git. Raises the error codes of
 * `SourceFetcher`.
 */
export function openGitSources({
  folder,
  rewrites = {},
  env = process.env,
  retry = { attempts: 3, firstMs: 1000 },
}: GitSourcesOptions): SourceFetcher {
  const options: MirrorOptions = {
    folder: join(folder, `user-${process.getuid?.() ?? 0}`),
    rewrites,
    env,
    retry,
  };
  const queues = new Map<string, Promise<unknown>>();

  /** Serialises fetches into one mirror: git fails if another process has locked a ref. */
  function serialised<T>(mirror: GitMirror, body: () => Promise<T>): Promise<T> {
    const next = (queues.get(mirror.path) ?? Promise.resolve()).then(body, body);
    queues.set(
      mirror.path,
      next.catch(() => undefined),
    );
    return next;
  }

  const fetch: SourceFetcher['fetch'] = async (source, signal, onProgress) => {
    const commit = checkCommit(source.commit);
    const mirror = new GitMirror(source.url, options);
    await serialised(mirror, () => mirror.fetchCommit(commit, { signal, onProgress }));
    for (const submodule of await submodulesOf(mirror, source))
      await fetch(submodule.source, signal, onProgress);
  };

  return {
    reachable: (url, timeoutMs, signal) =>
      new GitMirror(url, options).isReachable(timeoutMs, signal),

    async resolve(url, ref, signal) {
      checkRef(ref);
      const mirror = new GitMirror(url, options);
      await serialised(mirror, () => mirror.fetchAll({ signal }));
      return resolveIn(mirror, ref);
    },

    fetch,

    async *archive(source) {
      yield* writeTar(treeEntries(source, PREFIX, options));
    },
  };
}

async function resolveIn(mirror: GitMirror, ref: string): Promise<ResolvedRef> {
  const git = await mirror.git();
  const lines = await git.raw([
    'for-each-ref',
    '--format=%(objectname) %(*objectname) %(refname)',
    `refs/tags/${ref}`,
    `refs/heads/${ref}`,
  ]);
  const found = lines
    .split('\n')
    .map((line) => line.split(' '))
    .filter(([, , name]) => name === `refs/tags/${ref}` || name === `refs/heads/${ref}`);
  const [object, peeled, name] =
    found.find(([, , full]) => full?.startsWith('refs/tags/')) ?? found[0] ?? [];
  const commit = peeled === undefined || peeled === '' ? object : peeled;
  if (commit === undefined || commit === '') {
    throw new CcpError({
      code: 'source-ref-unknown',
      message: `${redact(mirror.url)} has no tag or branch ${ref}`,
      hint: 'correct "refs" of the source in image.yaml',
    });
  }
  if (name?.startsWith('refs/tags/') === true && isVersionTag(ref)) return { commit, version: ref };
  const here = highestVersion((await git.raw(['tag', '--points-at', commit])).split('\n'));
  return { commit, version: here ?? (await versionAfter(mirror, commit)) };
}

async function versionAfter(mirror: GitMirror, commit: string): Promise<string> {
  const git = await mirror.git();
  const described = await git
    .raw(['describe', '--tags', '--abbrev=0', '--match=[0-9]*', '--exclude=*[^0-9a-z.]*', commit])
    .catch(() => '');
  const tag = isVersionTag(described) ? described : undefined;
  const range = tag === undefined ? commit : `refs/tags/${tag}..${commit}`;
  const distance = Number(await git.raw(['rev-list', '--count', range]));
  return developmentVersion(tag, distance, await git.raw(['log', '--format=%B', range]));
}

/** Reduces a mode to the modes that git stores. */
function gitMode({ type, mode }: TarHeader): number {
  if (type === 'symlink') return 0o777;
  return (mode & 0o100) === 0 ? 0o644 : 0o755;
}

/**
 * Yields the entries of a commit's tree below `prefix`, with git's modes, the commit's time and
 * owner 0, then the entries of its submodules.
 */
async function* treeEntries(
  source: GitSource,
  prefix: string,
  options: MirrorOptions,
): AsyncGenerator<TarEntry> {
  const commit = checkCommit(source.commit);
  const mirror = new GitMirror(source.url, options);
  if (!(await mirror.hasCommit(commit))) {
    throw new CcpError({
      code: 'source-commit-missing',
      message: `commit ${commit} of ${redact(source.url)} was not fetched`,
      hint: 'run "ccp fetch"',
    });
  }
  const submodules = await submodulesOf(mirror, source);
  const file = join(mirror.path, `archive.${randomBytes(6).toString('hex')}.tar`);
  try {
    await (
      await mirror.git()
    ).raw(['archive', '--format=tar', `--prefix=${prefix}/`, `--output=${file}`, commit]);
    for await (const { header, data } of readTar(
      createReadStream(file) as AsyncIterable<Uint8Array>,
    )) {
      yield {
        header: { ...header, mode: gitMode(header), uid: 0, gid: 0 },
        ...omitUndefined({ data }),
      };
    }
  } finally {
    await rm(file, { force: true });
  }
  for (const { path, source: inner } of submodules)
    yield* treeEntries(inner, `${prefix}/${path}`, options);
}
