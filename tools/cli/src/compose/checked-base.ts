import { isRecord, type Digest, type Json } from '#core';
import type { PlannedImage } from '#plan';
import type { ImageStore } from '#ports';
import { definitionOf } from './inputs.ts';
import type { Project } from './project.ts';

/** A stored image's manifest and configuration. */
interface Documents {
  readonly manifest: Json;
  readonly config: Json;
}

const LOADER_VARIABLE = /^(?:LD|GLIBC)_/;

/**
 * The base of an image if its tests checked its libraries: it is named in the store, the image
 * contains all its layers, and no variable of the image configures the loader.
 */
export async function checkedBase(
  project: Project,
  store: Pick<ImageStore, 'byFingerprint' | 'inspect'>,
  { parents, record }: Pick<PlannedImage, 'parents' | 'record'>,
  { manifest, config }: Documents,
): Promise<{ readonly layers: number; readonly allow: readonly string[] } | undefined> {
  const { base } = parents;
  const fingerprint = record.parents['base'];
  const stored = fingerprint === undefined ? undefined : store.byFingerprint(fingerprint);
  if (base === undefined || stored === undefined) return undefined;
  const layers = inheritedLayers(await store.inspect(stored.digest), { manifest, config });
  return layers === undefined
    ? undefined
    : { layers, allow: definitionOf(project, base).tests.allow };
}

/**
 * The number of layers that an image has from `base`; undefined if it does not contain all layers
 * of `base`, or if a variable configures the loader.
 */
export function inheritedLayers(
  base: Pick<Documents, 'manifest'>,
  { manifest, config }: Documents,
): number | undefined {
  const inherited = layersOf(base.manifest);
  const layers = layersOf(manifest);
  if (inherited.some((digest, index) => layers[index] !== digest)) return undefined;
  return environmentOf(config).some((variable) => LOADER_VARIABLE.test(variable))
    ? undefined
    : inherited.length;
}

/** Digests of a manifest's layers, lowest first. */
export function layersOf(manifest: Json): readonly Digest[] {
  const { layers } = manifest as unknown as { readonly layers: readonly { digest: Digest }[] };
  return layers.map(({ digest }) => digest);
}

function environmentOf(config: Json): readonly string[] {
  const inner: unknown = isRecord(config) ? config['config'] : undefined;
  const variables: unknown = isRecord(inner) ? inner['Env'] : undefined;
  return Array.isArray(variables) ? variables.map(String) : [];
}
