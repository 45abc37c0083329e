import { isDeepStrictEqual } from 'node:util';
import type { ImageContext } from '#build';
import {
  listContext,
  locateStep,
  lockedFilesOf,
  lockedGitSources,
  patchFault,
  renderDockerfile,
  sourceIdentity,
  writeContext,
  type ImageInputs,
  type SourceOrigin,
} from '#context';
import {
  CcpError,
  CcpErrors,
  findingsIn,
  mapRecord,
  omitUndefined,
  redact,
  type ImageName,
} from '#core';
import {
  fetchFiles,
  fetchSources,
  openCache,
  openGitSources,
  openMirrors,
  type Cache,
  type FetchEvent,
  type FetchReport,
  type SourceEvent,
} from '#fetch';
import { gitArchiveKey, lockedFileName } from '#fetch/keys';
import { readLock, summarise, type Lock } from '#locks';
import type { SourceFetcher } from '#ports';
import { isInputError } from './fetch-or-faults.ts';
import { missingGoPackage } from './go-package.ts';
import type { Project } from './project.ts';
import { cacheFolder, type Settings } from './settings.ts';

/** Opens the cache in the configured folder. */
export async function openInputCache(settings: Settings): Promise<Cache> {
  return openCache({ folder: cacheFolder(settings) });
}

/** Opens the fetcher of git sources with the configured mirrors. */
export async function openSources(settings: Settings): Promise<SourceFetcher> {
  const cache = await openInputCache(settings);
  return openGitSources({ folder: cache.gitFolder, rewrites: settings.mirrors?.git ?? {} });
}

export interface FetchInputsOptions {
  readonly origin: SourceOrigin;
  readonly offline: boolean;
  /** How cached inputs are checked: by their content (the default), or only by their size. */
  readonly check?: 'content' | 'size';
  /** Installs Debian packages required to find the inputs. */
  readonly installPackages: (names: readonly string[]) => Promise<void>;
  readonly events?: (event: FetchEvent | SourceEvent) => void;
  readonly signal?: AbortSignal;
}

/**
 * Downloads every missing or damaged input of the images into the cache. Throws the errors of
 * `fetchFiles` and `fetchSources`; if single files cannot be fetched, the sources still are.
 */
export async function fetchImages(
  project: Project,
  images: readonly ImageName[],
  options: FetchInputsOptions,
): Promise<FetchReport> {
  const { settings } = project;
  const { origin, offline, check, events, signal } = options;
  const cache = await openInputCache(settings);
  const locks = images.map((image) => readLock(definitionOf(project, image), project.series.name));
  const files = locks.flatMap((lock) => lockedFilesOf(lock, origin));
  const missing = offline ? [] : missingGoPackage({ files, cache, settings, env: process.env });
  if (missing.length > 0) await options.installPackages(missing);
  const cancel = signal === undefined ? {} : { signal };
  let lacking: CcpError | undefined;
  const report = await fetchFiles(cache, files, {
    mirrors: openMirrors(settings.mirrors),
    offline,
    ...omitUndefined({ check, events }),
    ...cancel,
  }).catch((thrown: unknown) => {
    if (!isInputError(thrown)) throw thrown;
    lacking = thrown;
  });
  const sources = locks.flatMap((lock) => lockedGitSources(lock, origin));
  if (sources.length > 0) {
    await fetchSources(cache, await openSources(settings), sources, {
      offline,
      ...omitUndefined({ check, events }),
      ...cancel,
    }).catch((thrown: unknown) => {
      throw lacking !== undefined && isInputError(thrown)
        ? new CcpErrors([lacking, thrown].flatMap(findingsIn))
        : thrown;
    });
  }
  if (report === undefined) throw lacking;
  return report;
}

/** Names of an image's locked inputs that are missing in the cache. */
export async function missingInputs(
  project: Project,
  image: ImageName,
  origin: SourceOrigin,
): Promise<string[]> {
  const cache = await openInputCache(project.settings);
  const lock = readLock(definitionOf(project, image), project.series.name);
  const files = lockedFilesOf(lock, origin).filter(
    ({ sha256 }) => cache.sizeOf(sha256) === undefined,
  );
  const sources = lockedGitSources(lock, origin).filter(
    (source) => cache.derived(gitArchiveKey(source)) === undefined,
  );
  return [...files.map(lockedFileName), ...sources.map(({ url }) => redact(url))];
}

/**
 * The build context of one image, opened again for each attempt; its inputs must be in the cache.
 * Throws `file-changed` if it differs from the plan.
 */
export async function openImageContext(
  project: Project,
  planned: ImageInputs,
  origin: SourceOrigin,
): Promise<ImageContext> {
  const definition = definitionOf(project, planned.image);
  const lock = plannedLock(project, planned, origin);
  const cache = await openInputCache(project.settings);
  const dockerfile = renderDockerfile({
    definition,
    series: project.series,
    summary: summarise(lock),
  });
  const entries = listContext({
    definition,
    series: project.series,
    lock,
    origin,
    dockerfile,
    inputs: planned,
  });
  return {
    open: () => writeContext(entries, cache),
    locate: (step) => locateStep(definition, dockerfile, step),
    explain: (words) => patchFault(definition, entries, words),
  };
}

/** The lock an image was planned with. Throws `file-changed` if the file changed since. */
export function plannedLock(project: Project, planned: ImageInputs, origin: SourceOrigin): Lock {
  const definition = definitionOf(project, planned.image);
  const lock = readLock(definition, project.series.name);
  const { debian, python, go, npm, sources } = summarise(lock);
  const identities = mapRecord(sources, (source, key) =>
    sourceIdentity(source, definition.sources[key]?.submodules ?? [], origin),
  );
  const same = [
    [debian, planned.debian],
    [python, planned.python],
    [go?.files, planned.go?.files],
    [npm, planned.npm],
    [identities, planned.sources],
  ].every(([now, then]) => isDeepStrictEqual(now, then));
  if (same) return lock;
  throw new CcpError({
    code: 'file-changed',
    message: `the lock of ${planned.image} changed after planning`,
    hint: 'run the command again',
  });
}

/** The definition of an image in the graph. */
export function definitionOf(project: Project, image: ImageName) {
  const definition = project.graph.images.get(image);
  if (definition === undefined) throw new TypeError(`${image} is not in the graph`);
  return definition;
}
