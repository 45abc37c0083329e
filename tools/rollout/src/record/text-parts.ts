import { gunzipSync, gzipSync } from 'node:zlib';

/**
 * Base64 characters per part: a ConfigMap is limited to 1 MiB, and this leaves room for its
 * metadata.
 */
export const PART_SIZE = 700_000;

/** A text compressed and cut into base64 parts, each of which fits into a ConfigMap. */
export function textParts(text: string): readonly string[] {
  const packed = gzipSync(text, { level: 9 }).toString('base64');
  return Array.from({ length: Math.ceil(packed.length / PART_SIZE) }, (_, index) =>
    packed.slice(index * PART_SIZE, (index + 1) * PART_SIZE),
  );
}

/** Maximum size of the text; the largest sites have 3 MiB. */
const MAX_TEXT = 64 << 20;

/** The text that `textParts` has cut. Throws an error for other parts and for a larger text. */
export function joinParts(parts: readonly string[]): string {
  return gunzipSync(Buffer.from(parts.join(''), 'base64'), { maxOutputLength: MAX_TEXT }).toString(
    'utf8',
  );
}
