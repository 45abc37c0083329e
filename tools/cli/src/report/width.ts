import { createRequire } from 'node:module';
import type displayWidth from 'fast-string-width';

const ASCII = /^[\u0020-\u007e]*$/;
let library: typeof displayWidth | undefined;

/** The library, loaded for the first text outside ASCII: most runs save its 5 ms. */
function loadLibrary(): typeof displayWidth {
  const load = createRequire(import.meta.url);
  return (load('fast-string-width') as { readonly default: typeof displayWidth }).default;
}

/**
 * Terminal columns of a text without control characters: wide characters have two, accents none.
 */
export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  library ??= loadLibrary();
  // The library counts each part of a decomposed Korean syllable.
  return library(text.normalize('NFC'));
}

/** The longest start of a text that fits; characters are not split from their accents. */
export function fittingStart(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text;
  if (ASCII.test(text)) return text.slice(0, Math.max(columns, 0));
  let width = 0;
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    width += textWidth(segment);
    if (width > columns) return text.slice(0, index);
  }
  return text;
}
