import { escapeControls } from '#core';
import { yamlText } from '#formats';

/** A value of values.yaml. */
export interface ChartValue {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Comment above it; empty for none. */
  readonly description: string;
  readonly schema: object;
}

interface Tree {
  readonly [key: string]: Tree | ChartValue;
}

/** values.yaml with a comment for each value that has a description. */
export function valuesText(values: readonly ChartValue[]): string {
  const lines = (tree: Tree, indent: string): string[] =>
    Object.entries(tree).flatMap(([key, child]) => {
      if (!isValue(child)) return [`${indent}${key}:`, ...lines(child, `${indent}  `)];
      const text = yamlText({ [key]: child.value })
        .trimEnd()
        .split('\n');
      const comment =
        child.description === '' ? [] : [`${indent}# ${escapeControls(child.description)}`];
      return [...comment, ...text.map((line) => `${indent}${line}`)];
    });
  const all = lines(treeOf(values), '');
  return all.length === 0 ? '{}\n' : `${all.join('\n')}\n`;
}

/**
 * The JSON Schema of the values. Unknown keys are refused, except below the keys `open`: other
 * charts check these.
 */
export function valuesSchema(values: readonly ChartValue[], open: readonly string[]): string {
  const schemaOf = (tree: Tree): object => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.entries(tree).map(([key, child]) => [
        key,
        isValue(child)
          ? {
              ...(child.description === '' ? {} : { description: child.description }),
              ...child.schema,
            }
          : schemaOf(child),
      ]),
    ),
  });
  const schema = schemaOf(treeOf(values)) as { readonly properties: object };
  return `${JSON.stringify(
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      ...schema,
      properties: {
        ...schema.properties,
        ...Object.fromEntries(open.map((key) => [key, { type: 'object' }])),
      },
    },
    null,
    2,
  )}\n`;
}

function treeOf(values: readonly ChartValue[]): Tree {
  const tree: Record<string, unknown> = {};
  for (const value of values) {
    let at = tree;
    for (const key of value.path.slice(0, -1)) at = (at[key] ??= {}) as Record<string, unknown>;
    at[value.path.at(-1)!] = value;
  }
  return tree as Tree;
}

function isValue(child: Tree | ChartValue): child is ChartValue {
  return Array.isArray(child['path']) && 'schema' in child && 'description' in child;
}
