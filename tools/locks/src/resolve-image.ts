import type { ImageName, Sha256 } from '#core';
import { forSeries, type ImageDefinition, type SeriesDefinition } from '#definitions';
import type { DebianResolver } from './debian/debian-resolver.ts';
import type { PythonResolver } from './python/python-resolver.ts';
import type { SourceResolver } from './source/source-resolver.ts';
import { IMAGE_STAGES } from './stack.ts';
import type { DebianPackage, Lock, LockedSource } from './types.ts';

export interface ImageRequest {
  readonly definition: ImageDefinition;
  readonly series: SeriesDefinition;
  readonly request: Sha256;
  /** Role -> the locks of the parent's layers, the parent's own first. */
  readonly layers: Readonly<Record<string, readonly Lock[]>>;
  /** The lock whose versions are kept where they still satisfy. */
  readonly keep?: Lock;
  readonly progress: (what: string) => void;
  readonly note: (detail: string) => void;
}

export interface Resolvers {
  readonly debian: DebianResolver;
  readonly python: PythonResolver;
  readonly sources: SourceResolver;
}

/** The Debian packages that an image of these layers holds. */
export function packagesOf(layers: readonly Lock[]): readonly DebianPackage[] {
  return layers.flatMap((lock) => IMAGE_STAGES.flatMap((stage) => lock.debian[stage] ?? []));
}

/** Resolves everything one image takes from outside; writes nothing. */
export async function resolveImage(request: ImageRequest, resolvers: Resolvers): Promise<Lock> {
  const { definition, series, keep, layers, note } = request;
  const image: ImageName = definition.name;
  const sources: Record<string, LockedSource> = {};
  for (const [key, source] of Object.entries(definition.sources)) {
    request.progress(`source ${key}`);
    const kept = keep?.sources[key];
    sources[key] = await resolvers.sources.resolve({ image, key, source, series: series.name, note, ...(kept === undefined ? {} : { kept }) });
  }
  const debian: Record<string, readonly DebianPackage[]> = {};
  for (const [stage, { on, packages }] of Object.entries(definition.debian)) {
    request.progress(`Debian ${stage}`);
    debian[stage] = await resolvers.debian.resolve({
      title: `${image} ${stage}`,
      packages: forSeries(packages, series.name),
      below: on === undefined ? [] : packagesOf(layers[on] ?? []),
      keep: keep?.debian[stage] ?? [],
      note,
    });
  }
  const python = await resolvePython(request, sources, debian, resolvers.python);
  return { format: 1, image, series: series.name, request: request.request, debian, python, sources };
}

async function resolvePython(
  { definition, series, keep, layers, progress, note }: ImageRequest,
  sources: Readonly<Record<string, LockedSource>>,
  debian: Readonly<Record<string, readonly DebianPackage[]>>,
  python: PythonResolver,
): Promise<Lock['python']> {
  const asked = definition.python;
  if (asked === undefined) return { runtime: [], build: [] };
  progress('Python');
  const base = layers['base'] ?? [];
  const own = IMAGE_STAGES.flatMap((stage) => debian[stage] ?? []);
  const project = asked.project === undefined ? undefined : sources[asked.project];
  return python.resolve({
    title: definition.name,
    series,
    debian: [...own, ...packagesOf(base)],
    requirements: [...forSeries(asked.packages, series.name), ...forSeries(asked.tools, series.name)],
    ...(project === undefined ? {} : { project: { name: asked.project!, source: project, extras: asked.extras } }),
    provided: asked.provided,
    below: base.flatMap((lock) => lock.python.runtime),
    keep: keep?.python ?? { runtime: [], build: [] },
    note,
  });
}
