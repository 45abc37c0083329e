import type { ImageName } from '#core';
import type { ImageEdge, ImageGraph } from './types.ts';

interface Line {
  readonly edge: Pick<ImageEdge, 'from' | 'role'>;
  /** Prefix of the lines of the children. */
  readonly indent: string;
  readonly text: string;
}

/**
 * Renders the graph as a tree for people, children below their parents. An image appears with its
 * children below its `base` (its first role if it has no base), and once more, with the role, below
 * every other parent.
 */
export function renderTree(graph: ImageGraph): string {
  const below = new Map<ImageName, ImageEdge[]>(graph.order.map((name) => [name, []]));
  for (const edge of graph.edges) below.get(edge.to)!.push(edge);
  const lines: string[] = [];
  const roots = graph.order.filter((name) => graph.parents(name).length === 0);
  const stack: Line[] = roots
    .map((name) => ({ edge: { from: name, role: 'base' }, indent: '', text: name }))
    .reverse();
  for (let line = stack.pop(); line !== undefined; line = stack.pop()) {
    const { edge, indent, text } = line;
    lines.push(text);
    if (edge.role !== homeRole(graph, edge.from)) continue;
    const edges = below.get(edge.from)!;
    for (const [index, next] of [...edges.entries()].reverse()) {
      const last = index === edges.length - 1;
      const label = next.role === 'base' ? next.from : `${next.from} (${next.role})`;
      stack.push({
        edge: next,
        indent: `${indent}${last ? '   ' : '│  '}`,
        text: `${indent}${last ? '└─ ' : '├─ '}${label}`,
      });
    }
  }
  return lines.map((line) => `${line}\n`).join('');
}

function homeRole(graph: ImageGraph, name: ImageName): string {
  const roles = Object.keys(graph.images.get(name)!.parents).sort();
  return roles.includes('base') ? 'base' : (roles[0] ?? 'base');
}
