import type { EstimatedDuration } from '#build';
import { counted, type ImageName } from '#core';
import { durationText } from './text.ts';

/** The seconds that a build of an image takes, and where they come from. */
export interface ImageDuration extends EstimatedDuration {
  readonly image: ImageName;
}

/** A line for each image, then the sum; or the written table. */
export function durationsText(
  images: readonly ImageDuration[],
  written?: { readonly file: string; readonly images: number },
): string {
  if (written?.images === 0)
    return `${written.file} is unchanged: this workspace has no build times of the series yet; run \`ccp build\` first`;
  if (written !== undefined)
    return `${written.file}: build times of ${counted(written.images, 'image')} written`;
  const rows = images.map(({ image, seconds, from }) => [image, durationText(seconds), from]);
  const [first, second] = [0, 1].map((column) =>
    Math.max(0, ...rows.map((row) => row[column]!.length)),
  ) as [number, number];
  const total = images.reduce((sum, { seconds }) => sum + seconds, 0);
  return [
    ...rows.map(
      ([image, time, from]) => `${image!.padEnd(first)}  ${time!.padStart(second)}  ${from}`,
    ),
    `${counted(images.length, 'image')}, ${durationText(total)} in total`,
  ].join('\n');
}
