import { readFileSync } from 'node:fs';
import { codeOf, omitUndefined, reading, withPlace, type Sha256 } from '#core';
import { forSeries, type ImageDefinition, type SeriesDefinition } from '#definitions';
import type { DebianResolver } from './debian/debian-resolver.ts';
import type { ParentPackage } from './debian/parent-entries.ts';
import type { GoResolver } from './go/go-resolver.ts';
import { fileName } from './file-name.ts';
import { npmPackagesOf } from './npm/requested-hash.ts';
import type { NpmResolver } from './npm/npm-resolver.ts';
import type { PythonResolver } from './python/python-resolver.ts';
import type { SourceResolver } from './source/source-resolver.ts';
import { requestedItems, goItems, pythonItems, locateError } from './locate-error.ts';
import { IMAGE_STAGES } from './stack.ts';
import type { DebianPackage, Lock, LockedGo, LockedSource } from './types.ts';

/** Progress messages of an image's resolution. */
export interface ImageEvents {
  readonly progress: (step: string) => void;
  readonly note: (detail: string) => void;
}

export interface SourcesRequest extends ImageEvents {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  /** The previous lock; versions that still satisfy the definition are kept. */
  readonly keep?: Lock;
}

export interface ImageRequest extends SourcesRequest {
  readonly request: Sha256;
  /** Role -> the locks of the parent's layers, starting with the parent's own lock. */
  readonly layers: Readonly<Record<string, readonly Lock[]>>;
  readonly sources: Readonly<Record<string, LockedSource>>;
}

export interface Resolvers {
  readonly debian: DebianResolver;
  readonly python: PythonResolver;
  readonly go: GoResolver;
  readonly npm: NpmResolver;
  readonly sources: SourceResolver;
}

/** The Debian packages of an image with these layers. */
function packagesOf(layers: readonly Lock[]): readonly ParentPackage[] {
  return layers.flatMap(({ image, debian }) =>
    IMAGE_STAGES.flatMap((stage) => debian[stage] ?? []).map((item) => ({ ...item, image })),
  );
}

/** Resolves the sources of one image; errors have the position of the source's ref. */
export async function resolveSources(
  { definition, series, keep, progress, note }: SourcesRequest,
  resolver: SourceResolver,
): Promise<Record<string, LockedSource>> {
  const sources: Record<string, LockedSource> = {};
  for (const [key, source] of Object.entries(definition.sources)) {
    progress(`source ${key}`);
    const kept = keep?.sources[key];
    const request = {
      image: definition.name,
      key,
      source,
      series: series.name,
      note,
      ...omitUndefined({ kept }),
    };
    sources[key] = await resolver.resolve(request).catch((thrown: unknown) => {
      throw withPlace(thrown, definition.positions.refs?.[key]?.[series.name]);
    });
  }
  return sources;
}

/**
 * Resolves the packages of one image from its resolved sources; writes nothing. Errors have the
 * position of the failed item if the resolver names it.
 */
export async function resolveImage(request: ImageRequest, resolvers: Resolvers): Promise<Lock> {
  const { definition, series, keep, layers, sources, note } = request;
  const image = definition.name;
  const debian: Record<string, readonly DebianPackage[]> = {};
  for (const [stage, { on, packages, alone = false }] of Object.entries(definition.debian)) {
    request.progress(`Debian ${stage}`);
    debian[stage] = await resolvers.debian
      .resolve({
        title: `${image} ${stage}`,
        packages: forSeries(packages, series),
        alone,
        below: on === undefined ? [] : packagesOf(layers[on] ?? []),
        keep: keep?.debian[stage] ?? [],
        note,
      })
      .catch((thrown: unknown) => {
        if (codeOf(thrown) === 'debian-version-gone') throw thrown;
        throw codeOf(thrown) === 'debian-mirror-failed'
          ? withPlace(thrown, series.positions?.suite)
          : locateError(thrown, requestedItems(packages, series));
      });
  }
  const python = await resolvePython(request, debian, resolvers.python);
  const go = await resolveGo(request, resolvers.go);
  const npm = await resolveNpm(request, resolvers.npm);
  return {
    format: 1,
    image,
    series: series.name,
    request: request.request,
    debian,
    python,
    ...omitUndefined({ go }),
    ...omitUndefined({ npm }),
    sources,
  };
}

async function resolvePython(
  { definition, series, keep, layers, sources, progress, note }: ImageRequest,
  debian: Readonly<Record<string, readonly DebianPackage[]>>,
  python: PythonResolver,
): Promise<Lock['python']> {
  const requested = definition.python;
  if (requested === undefined) return { runtime: [], build: [] };
  progress('Python');
  if (series.constraints === undefined)
    note(`series ${series.name} has no upper constraints: the newest versions are used`);
  const base = layers['base'] ?? [];
  const own = IMAGE_STAGES.flatMap((stage) => debian[stage] ?? []);
  const project = requested.project === undefined ? undefined : sources[requested.project];
  return python
    .resolve({
      title: definition.name,
      series,
      constraints: constraintsText(definition, series),
      debian: [...own, ...packagesOf(base)],
      requirements: [
        ...forSeries(requested.packages, series),
        ...forSeries(requested.tools, series),
      ],
      ...(project === undefined
        ? {}
        : { project: { name: requested.project!, source: project, extras: requested.extras } }),
      provided: requested.provided,
      below: base.flatMap((lock) => lock.python.runtime),
      keep: keep?.python ?? { runtime: [], build: [] },
      note,
    })
    .catch((thrown: unknown) => {
      throw locateError(thrown, pythonItems(definition, series));
    });
}

function constraintsText(
  definition: ImageDefinition,
  { constraints: path }: SeriesDefinition,
): string {
  return path === undefined
    ? ''
    : reading(fileName(definition, path), () => readFileSync(path, 'utf8'));
}

async function resolveNpm(
  { definition, keep, progress }: ImageRequest,
  npm: NpmResolver,
): Promise<Lock['npm']> {
  if (definition.npm === undefined) return undefined;
  progress('npm');
  return npm.resolve({ packages: npmPackagesOf(definition), keep: keep?.npm ?? [] });
}

async function resolveGo(
  { definition, keep, layers, progress }: ImageRequest,
  go: GoResolver,
): Promise<LockedGo | undefined> {
  const requested = definition.go;
  if (requested === undefined) return undefined;
  progress('Go');
  return go
    .resolve({
      title: definition.name,
      definition: requested,
      below: (layers['builder'] ?? []).flatMap((lock) => lock.go?.files ?? []),
      ...(keep?.go === undefined ? {} : { keep: keep.go }),
    })
    .catch((thrown: unknown) => {
      throw withPlace(locateError(thrown, goItems(definition)), definition.positions.definition);
    });
}
