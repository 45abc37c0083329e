import type { Json, Position } from '#core';

/** A map key with its offset. */
export interface YamlEntry {
  readonly keyOffset: number;
  readonly node: YamlNode;
}

/** YAML as data with the offset (UTF-16 units) of every value; keys are the text in the file. */
export type YamlNode =
  | {
      readonly kind: 'map';
      readonly offset: number;
      readonly entries: ReadonlyMap<string, YamlEntry>;
    }
  | { readonly kind: 'list'; readonly offset: number; readonly items: readonly YamlNode[] }
  | {
      readonly kind: 'scalar';
      readonly offset: number;
      readonly value: null | boolean | number | string;
      readonly source: string;
    };

/** Keys and list indices from the top of a file down to a value. */
export type YamlPath = readonly (string | number)[];

/** The plain value of a node. */
export function valueOf(node: YamlNode): Json {
  switch (node.kind) {
    case 'scalar':
      return node.value;
    case 'list':
      return node.items.map(valueOf);
    case 'map':
      return Object.fromEntries(
        [...node.entries].map(([key, entry]) => [key, valueOf(entry.node)]),
      );
  }
}

/**
 * Offset for messages about the value at `path`: of a scalar, or of the key of a map or list; of
 * the deepest existing part.
 */
export function offsetOf(root: YamlNode, path: YamlPath): number {
  let node = root;
  let offset = root.offset;
  for (const step of path) {
    const entry = node.kind === 'map' ? node.entries.get(String(step)) : undefined;
    const next = entry?.node ?? (node.kind === 'list' ? node.items[Number(step)] : undefined);
    if (next === undefined) break;
    offset = next.kind === 'scalar' ? next.offset : (entry?.keyOffset ?? next.offset);
    node = next;
  }
  return offset;
}

/** Turns offsets in `text` into 1-based lines and columns of `file`. */
export function positionsIn(text: string, file: string): (offset: number) => Position {
  let starts: number[] | undefined;
  return (offset) => {
    starts ??= [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { file, line: low + 1, column: offset - starts[low]! + 1 };
  };
}
