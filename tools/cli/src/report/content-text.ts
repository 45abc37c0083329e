import { counted } from '#core';
import type { CheckedContent, ImageSet } from '#release';
import { sizeText } from './text.ts';

/** The extent of a check: `3 images of 2026.1, 12 blobs`, and the bytes that were read. */
export function contentText(
  { images, series }: Pick<ImageSet, 'images' | 'series'>,
  { blobs, bytes }: CheckedContent,
): string {
  const read = bytes === 0 ? '' : `, ${sizeText(bytes)} read`;
  return `${counted(images.length, 'image')} of ${series}, ${counted(blobs, 'blob')}${read}`;
}
