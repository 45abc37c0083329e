import type { KubernetesObject } from '#ports';
import { bind, boundOrThrow } from '../bind/bind.ts';
import { objectsOf } from '../model/objects-of.ts';
import type { RenderedSite, SiteInput } from '../model/types.ts';
import { render } from '../render/render.ts';

/** Binds and renders a site. Throws its findings together. */
export function renderChecked(input: SiteInput): RenderedSite {
  return render(boundOrThrow(bind(input)));
}

/** The objects of a site in the order they are applied. Errors as of `renderChecked`. */
export function checkedObjects(input: SiteInput): readonly KubernetesObject[] {
  return objectsOf(renderChecked(input));
}
