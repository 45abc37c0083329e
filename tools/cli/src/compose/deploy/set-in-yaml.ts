import { isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

/**
 * Sets a number at a path of mappings in the text of a YAML file; creates missing mappings and
 * keeps every other byte.
 */
export function setInYaml(text: string, path: readonly string[], number: number): string {
  let node: unknown = parseDocument(text).contents;
  for (const [depth, key] of path.entries()) {
    if (!isMap(node)) break;
    const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
    const rest = nested(path.slice(depth + 1), number);
    if (pair === undefined) return withPair(text, node, `${key}: ${rest}`);
    const [, keyEnd] = (pair.key as { readonly range: readonly [number, number, number] }).range;
    if (isScalar(pair.value) && pair.value.range != null) {
      const [start, end] = pair.value.range;
      return start === end
        ? `${text.slice(0, keyEnd)}: ${rest}${text.slice(keyEnd + 1)}`
        : `${text.slice(0, start)}${rest}${text.slice(end)}`;
    }
    node = pair.value;
  }
  throw new Error(`${path.join('.')} is not a path of mappings`);
}

function nested(path: readonly string[], number: number): string {
  const [first, ...rest] = path;
  return first === undefined ? String(number) : `{ ${first}: ${nested(rest, number)} }`;
}

/** Inserts the pair first in a block, since comments may follow the others, and last in braces. */
function withPair(text: string, { range, flow, items }: YAMLMap, pair: string): string {
  const [start, end] = range as readonly [number, number, number];
  if (flow === true) {
    const inner = text.slice(start + 1, end - 1).trimEnd();
    return `${text.slice(0, start)}{${inner === '' ? '' : `${inner},`} ${pair} }${text.slice(end)}`;
  }
  const [first] = (items[0]!.key as { readonly range: readonly [number, number, number] }).range;
  const indent = text.slice(text.lastIndexOf('\n', first) + 1, first);
  return `${text.slice(0, first)}${pair}\n${indent}${text.slice(first)}`;
}
