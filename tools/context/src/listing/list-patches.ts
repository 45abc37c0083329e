import type { ImageDefinition } from '#definitions';

/** A patch in the build context. */
export interface ListedPatch {
  /**
   * Path below `.inputs/sources`; sorts in the order of the patches:
   * `keystone.patches/001-name.patch`.
   */
  readonly name: string;
  /** Absolute path. */
  readonly path: string;
}

/** The patches of a definition that apply to a series. */
export function listPatches({ sources }: ImageDefinition, series: string): readonly ListedPatch[] {
  return Object.entries(sources).flatMap(([key, { patches = [] }]) =>
    patches
      .filter((patch) => patch.series?.includes(series) ?? true)
      .map(({ value, path }, index) => ({
        name: `${key}.patches/${String(index + 1).padStart(3, '0')}-${value}`,
        path,
      })),
  );
}
