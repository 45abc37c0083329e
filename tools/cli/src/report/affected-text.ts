import { counted, shortLines, type ImageName } from '#core';
import type { AffectedImage } from '#plan';

/** Reasons shown of an image. */
const SHOWN_REASONS = 3;

/** The affected images of two commits. */
export interface ComparedCommits {
  readonly base: string;
  /** A commit, or `worktree`. */
  readonly head: string;
  readonly series: readonly ComparedSeries[];
}

export interface ComparedSeries {
  readonly series: string;
  readonly affected: readonly AffectedImage[];
  /** Images that only the base has. */
  readonly removed: readonly ImageName[];
  /** Number of images at the head. */
  readonly images: number;
}

/** Names separated by commas, for `nx run-many -p`; each name once. */
export function affectedList({ series }: ComparedCommits): string {
  const names = series.flatMap(({ affected }) => affected.map(({ image }) => image));
  return [...new Set(names)].sort().join(',');
}

/** A line for each image with its reasons, by series. */
export function affectedText({ base, series }: ComparedCommits): string {
  return series.map((each) => seriesText(each, base)).join('\n\n');
}

function seriesText({ series, affected, removed, images }: ComparedSeries, base: string): string {
  const width = Math.max(0, ...affected.map(({ image }) => image.length));
  return [
    `series ${series}, compared with ${base.slice(0, 12)}`,
    ...affected.map(
      ({ image, reasons }) =>
        `  ${image.padEnd(width)}  ${shortLines(reasons, SHOWN_REASONS).join('; ')}`,
    ),
    ...removed.map((image) => `  ${image} was removed`),
    `${affected.length} of ${counted(images, 'image')} affected`,
  ].join('\n');
}
