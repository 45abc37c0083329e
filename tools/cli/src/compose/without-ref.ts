import type { Project } from './project.ts';

/**
 * A line that names the images which are not in the series though its list does not leave them out,
 * and what to do; undefined where there are none.
 */
export function withoutRef({ series, graph }: Project): string | undefined {
  const names = [...graph.absent.keys()].sort();
  const first = names[0];
  if (series.images !== undefined || first === undefined) return undefined;
  const { reason, hint } = graph.absent.get(first)!;
  return `not in ${series.name}: ${names.join(', ')}; ${first}: ${reason}; to add it, ${hint}`;
}
