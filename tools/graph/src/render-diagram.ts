import type { ImageEdge, ImageGraph } from './types.ts';

/**
 * Renders the graph in the language of Graphviz, with arrows from parents to children. An arrow of
 * another role than `base` is dashed and has the role as its label.
 */
export function renderDot({ series, order, edges }: ImageGraph): string {
  const arrows = edges.map(
    (edge) =>
      `"${edge.to}" -> "${edge.from}"${isBase(edge) ? '' : ` [style=dashed label="${edge.role}"]`}`,
  );
  const lines = ['rankdir=LR', 'node [shape=box]', ...order.map((name) => `"${name}"`), ...arrows];
  return `digraph "${series}" {\n${lines.map((line) => `  ${line};\n`).join('')}}\n`;
}

/** Renders the graph as a Mermaid flowchart, with the same arrows as `renderDot`. */
export function renderMermaid({ order, edges }: ImageGraph): string {
  // Mermaid reserves words like "end", so nodes have numbers.
  const ids = new Map(order.map((name, index) => [name, `n${index}`]));
  const nodes = order.map((name) => `${ids.get(name)}["${name}"]`);
  const arrows = edges.map(
    (edge) =>
      `${ids.get(edge.to)} ${isBase(edge) ? '-->' : `-. ${edge.role} .->`} ${ids.get(edge.from)}`,
  );
  return `flowchart LR\n${[...nodes, ...arrows].map((line) => `  ${line}\n`).join('')}`;
}

function isBase({ role }: ImageEdge): boolean {
  return role === 'base';
}
