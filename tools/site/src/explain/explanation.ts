import { CcpError, suggestName, type Position } from '#core';

/** One file position that sets a value. */
export interface Layer {
  readonly at: Position;
  readonly value: unknown;
  /** The reason if this layer has no effect. */
  readonly unused?: string;
  /** The only group of nodes on which it has an effect. */
  readonly group?: string;
}

/** The layers of a value. */
export interface Explanation {
  readonly key: string;
  /** Lowest first; the last effective layer wins, on nodes of a group the last one of the group. */
  readonly layers: readonly Layer[];
  /** The explanation of each value if the key selects several. */
  readonly parts?: readonly Explanation[];
}

/** An explanation with a line for each layer; winning layers are marked. */
export function explanationLines(
  { key, layers, parts }: Explanation,
  format: (at: Position) => string,
): string[] {
  if (parts !== undefined) {
    const shown = parts
      .map((part) => ({ part, lines: explanationLines(part, format) }))
      .filter(({ part }) => isSet(part));
    return shown.length === 0
      ? [`nothing sets ${key}`]
      : shown.flatMap(({ part, lines }) =>
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
  if (unused !== undefined) return ` (not in effect: ${unused})`;
  return group === undefined ? '' : ` (on nodes of the group "${group}")`;
}

function isSet({ layers, parts = [] }: Explanation): boolean {
  return layers.length > 0 || parts.some(isSet);
}

/** Raises `site-key` with the nearest known name if `names` does not contain `name`. */
export function known(key: string, what: string, name: string, names: readonly string[]): void {
  if (names.includes(name)) return;
  throw new CcpError({
    code: 'site-key',
    message: `unknown ${what} "${name}" in "${key}"`,
    hint: suggestName(name, names),
  });
}
