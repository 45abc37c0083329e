import type { ImageName, Sha256 } from '#core';
import type { ImageDefinition } from '#definitions';

/** Stages whose packages are in the image; other stages are needed only for the build. */
export const IMAGE_STAGES = ['bootstrap', 'runtime'] as const;

/** Hashes of the package lists of an image's layers, the image's own list first. */
export interface StackHashes {
  readonly debian: readonly Sha256[];
  readonly python: readonly Sha256[];
  readonly go: readonly Sha256[];
}

/** The parents whose locked packages the image's lock depends on: role -> image. */
export function lockParents(definition: ImageDefinition): Readonly<Record<string, ImageName>> {
  const roles = new Set(
    Object.values(definition.debian).flatMap((stage) => (stage.on === undefined ? [] : [stage.on])),
  );
  if (definition.python !== undefined) roles.add('base');
  if (definition.go !== undefined && definition.go.modules.length > 0) roles.add('builder');
  return Object.fromEntries(Object.entries(definition.parents).filter(([role]) => roles.has(role)));
}
