import { CcpError, nearest, throwFindings, type ImageName } from '#core';
import { closure } from './closure.ts';
import type { ImageGraph } from './types.ts';

/**
 * The named images (all where none is named), with `dependents` also all that are built from them, and everything those are
 * built from; in the graph's order. Raises `image-unknown` for every name the graph does not have.
 */
export function selectImages(graph: ImageGraph, names: readonly string[], options: { readonly dependents?: boolean } = {}): ImageName[] {
  const known = new Set<string>(graph.order);
  const unknown = names.filter((name) => !known.has(name));
  throwFindings(
    [...new Set(unknown)].map((name) => {
      const absence = graph.absent.get(name as ImageName);
      const meant = nearest(name, known);
      return new CcpError({
        code: 'image-unknown',
        message: `there is no image "${name}" in series ${graph.series}${absence === undefined ? '' : `: ${absence.reason}`}`,
        hint: absence?.hint ?? (meant === undefined ? 'ccp graph lists the images' : `did you mean ${meant}?`),
      });
    }),
  );
  if (names.length === 0) return [...graph.order];
  const named = names as readonly ImageName[];
  const targets = options.dependents === true ? closure(named, graph.children) : named;
  const selected = closure(targets, graph.parents);
  return graph.order.filter((name) => selected.has(name));
}
