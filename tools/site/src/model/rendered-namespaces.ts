import type { RenderedSite } from './types.ts';
import { objectsOf } from './objects-of.ts';
import type { Home } from './object-key.ts';

/** Namespaces of a site's rendered objects, the site's own first. */
export function renderedNamespaces(rendered: RenderedSite, home: Home): readonly string[] {
  const all = objectsOf(rendered).flatMap(({ metadata }) => metadata.namespace ?? []);
  return [...new Set([home.namespace, ...all])];
}
