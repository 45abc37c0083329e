import { CcpError, nearest, throwFindings, type ImageName } from '#core';
import { closure } from './closure.ts';
import type { ImageGraph } from './types.ts';

/**
 * Selects the named images (every image if `names` is empty) with all their ancestors, in build
 * order. With `dependents` their descendants are selected too. Throws `image-unknown` for every
 * name that is not in the graph.
 */
export function selectImages(
  graph: ImageGraph,
  names: readonly string[],
  options: { readonly dependents?: boolean } = {},
): ImageName[] {
  const known = new Set<string>(graph.order);
  const unknown = names.filter((name) => !known.has(name));
  throwFindings(
    [...new Set(unknown)].map((name) => {
      const absence = graph.absent.get(name as ImageName);
      const meant = nearest(name, known);
      return new CcpError({
        code: 'image-unknown',
        message: `series ${graph.series} has no image "${name}"${absence === undefined ? '' : `: ${absence.reason}`}`,
        hint:
          absence?.hint ??
          (meant === undefined ? 'list the images: ccp graph' : `did you mean ${meant}?`),
      });
    }),
  );
  if (names.length === 0) return [...graph.order];
  const named = names as readonly ImageName[];
  const targets = options.dependents === true ? closure(named, graph.children) : named;
  const selected = closure(targets, graph.parents);
  return graph.order.filter((name) => selected.has(name));
}
