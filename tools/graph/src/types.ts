import type { ImageName, Series } from '#core';
import type { ImageDefinition } from '#definitions';
import type { SeriesAbsence } from './series-members.ts';

/** Image `from` is built from its parent `to`, which has the given role. */
export interface ImageEdge {
  readonly from: ImageName;
  readonly to: ImageName;
  readonly role: string;
}

/**
 * The images of one series and their parents, without cycles. All lists of names follow `order`.
 */
export interface ImageGraph {
  readonly series: Series;
  readonly images: ReadonlyMap<ImageName, ImageDefinition>;
  /** Build order: parents before children. Depends on names and parents only. */
  readonly order: readonly ImageName[];
  /** One edge for each role of each image, in the order of `from`. */
  readonly edges: readonly ImageEdge[];
  /** Images of the workspace that are not in the series. */
  readonly absent: ReadonlyMap<ImageName, SeriesAbsence>;
  /** Direct parents, without duplicates. */
  parents(name: ImageName): readonly ImageName[];
  /** Direct children, without duplicates. */
  children(name: ImageName): readonly ImageName[];
  /** Parents, their parents, and so on. */
  ancestors(name: ImageName): readonly ImageName[];
  /** Children, their children, and so on. */
  descendants(name: ImageName): readonly ImageName[];
}
