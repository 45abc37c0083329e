import { canonicalJson, sha256, type Json } from '#core';
import type { RenderedSite } from './types.ts';

/** Hash of a rendered site: the same for everything that leads to the same objects. */
export function contentOf(rendered: RenderedSite): string {
  return sha256(canonicalJson(rendered as unknown as Json));
}
