import type { ImageName } from '#core';
import type { ImageEdge, ImageGraph } from './types.ts';

interface Line {
  readonly edge: Pick<ImageEdge, 'from' | 'role'>;
  /** What stands before the children of this line. */
  readonly indent: string;
  readonly text: string;
}

/**
 * The graph as lines for people, images below what they are built from. An image stands below its `base` (its first role
 * where it has none) with all that is built from it, and once more, with the role, below every other parent.
 */
export function renderTree(graph: ImageGraph): string {
  const below = new Map<ImageName, ImageEdge[]>(graph.order.map((name) => [name, []]));
  for (const edge of graph.edges) below.get(edge.to)!.push(edge);
  const lines: string[] = [];
  const roots = graph.order.filter((name) => graph.parents(name).length === 0);
  const stack: Line[] = roots.map((name) => ({ edge: { from: name, role: 'base' }, indent: '', text: name })).reverse();
  for (let line = stack.pop(); line !== undefined; line = stack.pop()) {
    const { edge, indent, text } = line;
    lines.push(text);
    if (edge.role !== homeRole(graph, edge.from)) continue;
    const edges = below.get(edge.from)!;
    for (const [index, next] of [...edges.entries()].reverse()) {
      const last = index === edges.length - 1;
      const label = next.role === 'base' ? next.from : `${next.from} (${next.role})`;
      stack.push({ edge: next, indent: `${indent}${last ? '   ' : '│  '}`, text: `${indent}${last ? '└─ ' : '├─ '}${label}` });
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

function homeRole(graph: ImageGraph, name: ImageName): string {
  const roles = Object.keys(graph.images.get(name)!.parents).sort();
  return roles.includes('base') ? 'base' : (roles[0] ?? 'base');
}
