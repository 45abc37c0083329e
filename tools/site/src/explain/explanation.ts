import { CcpError, suggestName, type Position } from '#core';

/** One place that says something about a value. */
export interface Layer {
  readonly at: Position;
  readonly value: unknown;
  /** Why it does not count, where it does not. */
  readonly unused?: string;
  /** The group of nodes on which alone it counts. */
  readonly group?: string;
}

/** Where a value comes from. */
export interface Explanation {
  readonly key: string;
  /** Lowest first; the last one that counts wins, and on the nodes of a group the last one of it. */
  readonly layers: readonly Layer[];
  /** Of a key that stands for several values: each of them. */
  readonly parts?: readonly Explanation[];
}

/** An explanation with a line for each layer; those that win are marked. */
export function explanationLines(
  { key, layers, parts }: Explanation,
  format: (at: Position) => string,
): string[] {
  if (parts !== undefined) {
    const told = parts
      .map((part) => ({ part, lines: explanationLines(part, format) }))
      .filter(({ part }) => isSet(part));
    return told.length === 0
      ? [`nothing sets ${key}`]
      : told.flatMap(({ part, lines }) =>
          part.parts === undefined ? [`${part.key}:`, ...lines.map((line) => `  ${line}`)] : lines,
        );
  }
  if (layers.length === 0) return [`nothing sets ${key}`];
  const winners = new Map(
    layers.filter(({ unused }) => unused === undefined).map((layer) => [layer.group, layer]),
  );
  return layers.map(
    (layer) =>
      `${winners.get(layer.group) === layer ? '*' : ' '} ${format(layer.at)}: ${JSON.stringify(layer.value)}${noteOf(layer)}`,
  );
}

function noteOf({ unused, group }: Layer): string {
  if (unused !== undefined) return ` (does not count: ${unused})`;
  return group === undefined ? '' : ` (on nodes of the group "${group}")`;
}

function isSet({ layers, parts = [] }: Explanation): boolean {
  return layers.length > 0 || parts.some(isSet);
}

/** Raises `site-key` with the nearest known name where `name` is none of `names`. */
export function known(key: string, what: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new CcpError({
    code: 'site-key',
    message: `"${key}" names no ${what}: there is no "${name}"`,
    hint: suggestName(name, names),
  });
}
