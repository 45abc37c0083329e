import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, messageOf, reading, type ImageName, type Series } from '#core';
import type { SourceDefinition } from '#definitions';
import type { SourceFetcher } from '#ports';
import type { PythonIndexClient } from '../python/index-client.ts';
import type { LockedSource } from '../types.ts';

export interface SourceRequest {
  readonly image: ImageName;
  /** Key of the source in the definition. */
  readonly key: string;
  readonly source: SourceDefinition;
  readonly series: Series;
  /** The previously locked source; kept if repository and ref are unchanged. */
  readonly kept?: LockedSource;
  readonly note: (detail: string) => void;
}

/** Resolves a ref to a commit, and a release also to its published archive. */
export interface SourceResolver {
  resolve(request: SourceRequest): Promise<LockedSource>;
}

export interface SourceResolverOptions {
  /**
   * Absolute paths of the workspaces with lists of releases, in order; file names in messages are
   * relative to the first.
   */
  readonly workspaces: readonly string[];
  readonly index: PythonIndexClient;
  readonly fetcher: SourceFetcher;
  readonly signal?: AbortSignal | undefined;
}

const REACH_MS = 5000;
const RELEASE = /^v?(\d+(?:\.\d+)+(?:\.0?(?:a|b|rc)\d+)?)$/;

/** Repository path (`openstack/keystone`) -> release -> commit. */
type Releases = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * Reads the lists of all series, since a series can use a release of another; the first workspace
 * that lists a release wins.
 */
function readReleases(workspaces: readonly string[]): Releases {
  const folders = workspaces
    .map((root) => join(root, 'images', '_shared', 'releases'))
    .filter((folder) => existsSync(folder));
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(folder, name)),
  );
  const merged: Record<string, Record<string, string>> = {};
  for (const file of files.reverse()) {
    for (const [project, releases] of Object.entries(
      readList(file, relative(workspaces[0]!, file)),
    ))
      Object.assign((merged[project] ??= {}), releases);
  }
  return merged;
}

function readList(path: string, file: string): Releases {
  const bytes = reading(file, () => readFileSync(path));
  try {
    return JSON.parse(bytes.toString()) as Releases;
  } catch (cause) {
    throw new CcpError({
      code: 'definition-invalid',
      message: `${file} is not valid JSON (${messageOf(cause)})`,
      hint: 'restore the file from git',
      at: { file },
      cause,
    });
  }
}

/** The commit of a repository's ref in the list of releases. */
function releasedCommit(releases: Releases, repository: string, ref: string): string | undefined {
  const path = repository.replace(/\/+$/, '').replace(/\.git$/, '');
  const project = Object.keys(releases).find((name) => path.endsWith(`/${name}`));
  return project === undefined ? undefined : releases[project]![ref];
}

/**
 * Raises `source-unreachable` if the host does not answer and images/_shared/releases does not list
 * the ref, `source-moved` if the host has another commit for a release than this list, and
 * `source-no-ref` if the definition has no ref for the series.
 */
export function openSourceResolver({
  workspaces,
  index,
  fetcher,
  signal,
}: SourceResolverOptions): SourceResolver {
  const reached = new Map<string, Promise<boolean>>();
  let known: Releases | undefined;
  const reachable = async (url: string): Promise<boolean> => {
    const host = new URL(url).host || url;
    const answer = reached.get(host) ?? fetcher.reachable(url, REACH_MS, signal);
    reached.set(host, answer);
    const found = await answer;
    if (signal?.aborted === true)
      throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
    return found;
  };
  return {
    resolve: async ({ image, key, source, series, kept, note }) => {
      const { repository, submodules } = source;
      const ref = source.refs[series];
      if (ref === undefined) {
        throw new CcpError({
          code: 'source-no-ref',
          message: `source ${key} of ${image} has no ref for series ${series}`,
          hint: 'add the series to "refs" of the source in image.yaml',
        });
      }
      const locked = kept?.repository === repository && kept.ref === ref ? kept : undefined;
      const listed = releasedCommit((known ??= readReleases(workspaces)), repository, ref);
      const release = RELEASE.exec(ref)?.[1];
      const identity = locked ?? (await resolveRef());
      const archive =
        release === undefined || source.archive === undefined
          ? undefined
          : await index.sdist(source.archive, release);
      return {
        repository,
        ref,
        commit: identity.commit,
        version: release ?? identity.version,
        submodules,
        ...(archive === undefined
          ? {}
          : {
              archive: {
                name: archive.name,
                file: archive.file,
                sha256: archive.sha256,
                size: archive.size,
              },
            }),
      };

      async function resolveRef(): Promise<{ readonly commit: string; readonly version: string }> {
        const local = repository.startsWith('file:') && listed === undefined;
        if (local || (await reachable(repository))) {
          const found = await fetcher.resolve(repository, ref!, signal);
          if (listed === undefined || listed === found.commit) return found;
          throw new CcpError({
            code: 'source-moved',
            message: `${repository} has commit ${found.commit} for release ${ref}, but images/_shared/releases has ${listed}`,
            hint: 'find out why the tag was moved before you continue',
          });
        }
        if (listed !== undefined) {
          note(
            `the git host of ${repository} does not answer; ccp uses the commit of ${ref} in images/_shared/releases, and fetched sources are checked against it`,
          );
          return { commit: listed, version: ref! };
        }
        throw new CcpError({
          code: 'source-unreachable',
          message: `the git host of ${repository} does not answer, and ${ref} is not a release listed in images/_shared/releases`,
          hint: 'check the network, or set a mirror of the git host in .ccp.yaml',
        });
      }
    },
  };
}
