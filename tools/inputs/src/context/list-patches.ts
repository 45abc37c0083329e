import type { ImageDefinition } from '#definitions';

/** A patch as the build sees it. */
export interface ListedPatch {
  /** Path below `.inputs/sources`, such that patches of one source are in their order: `keystone.patches/001-name.patch`. */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** The patches of a definition that hold for a series. */
export function listPatches({ sources }: ImageDefinition, series: string): readonly ListedPatch[] {
  return Object.entries(sources).flatMap(([key, { patches = [] }]) =>
    patches
      .filter((patch) => patch.series?.includes(series) ?? true)
      .map(({ value, path }, index) => ({ name: `${key}.patches/${String(index + 1).padStart(3, '0')}-${value}`, path })),
  );
}
