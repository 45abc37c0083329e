import type { ImageName, Series } from '#core';
import type { ImageDefinition } from '#definitions';
import type { Absence } from './series-members.ts';

/** `from` is built from `to`, which has this role in it. */
export interface ImageEdge {
  readonly from: ImageName;
  readonly to: ImageName;
  readonly role: string;
}

/** The images of one series and how they stand on each other; without cycles. Lists of names are in the order of `order`. */
export interface ImageGraph {
  readonly series: Series;
  readonly images: ReadonlyMap<ImageName, ImageDefinition>;
  /** Parents before children; the same for the same names and parents. */
  readonly order: readonly ImageName[];
  /** One for each role of each image, in the order of `from`. */
  readonly edges: readonly ImageEdge[];
  /** Images of the workspace that are not in the series. */
  readonly absent: ReadonlyMap<ImageName, Absence>;
  /** Images `name` is built from directly, each once. */
  parents(name: ImageName): readonly ImageName[];
  /** Images directly built from `name`, each once. */
  children(name: ImageName): readonly ImageName[];
  /** All that `name` is built from. */
  ancestors(name: ImageName): readonly ImageName[];
  /** All that are built from `name`. */
  descendants(name: ImageName): readonly ImageName[];
}
