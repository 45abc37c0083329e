import type { KubernetesObject } from '#ports';
import type { RenderedSite } from './types.ts';

/** The objects of a rendered site in the order they are applied. */
export function objectsOf(rendered: RenderedSite): readonly KubernetesObject[] {
  return [...rendered.foundation, ...rendered.steps.flatMap(({ objects }) => objects)];
}
