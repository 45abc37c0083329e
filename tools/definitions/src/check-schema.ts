import { nearest } from '#core';
import { checkScalar } from './check-scalar.ts';
import type { YamlFinding } from './compose-yaml.ts';
import { resolveSchema, type JsonSchema } from './json-schema.ts';
import { matches } from './matches.ts';
import {
  clipText,
  findingAt,
  hasType,
  quoteClipped,
  typeFinding,
  typesOf,
  type SchemaPlace,
} from './schema-words.ts';
import { valueOf, type YamlNode } from './yaml-node.ts';

/** All violations of `schema` in `node`, in file order, worded for people who write YAML. */
export function checkSchema(node: YamlNode, schema: JsonSchema): YamlFinding[] {
  return [...check({ node, offset: node.offset, path: '' }, schema, schema)].sort(
    (a, b) => a.offset - b.offset,
  );
}

function* check(
  place: SchemaPlace,
  unresolved: JsonSchema,
  root: JsonSchema,
): Iterable<YamlFinding> {
  const schema = resolveSchema(unresolved, root);
  if (schema.anyOf !== undefined) yield* checkBranches(place, schema.anyOf, root);
  else if (!hasType(place.node, typesOf(schema))) yield typeFinding(place, [schema]);
  else {
    yield* checkScalar(place, schema);
    if (place.node.kind === 'map') yield* checkMap(place, place.node, schema, root);
    if (place.node.kind === 'list') yield* checkList(place, place.node, schema, root);
  }
}

/** The findings of the branch with the fewest findings. */
function checkBranches(
  place: SchemaPlace,
  branches: readonly JsonSchema[],
  root: JsonSchema,
): readonly YamlFinding[] {
  const schemas = branches.map((branch) => resolveSchema(branch, root));
  const fitting = schemas.filter((schema) => hasType(place.node, typesOf(schema)));
  if (fitting.length === 0) return [typeFinding(place, schemas)];
  return fitting
    .map((schema) => [...check(place, schema, root)])
    .reduce((best, next) => (next.length < best.length ? next : best));
}

function* checkMap(
  place: SchemaPlace,
  node: YamlNode & { kind: 'map' },
  schema: JsonSchema,
  root: JsonSchema,
): Iterable<YamlFinding> {
  const { properties = {}, additionalProperties: others = true, propertyNames = {} } = schema;
  const where = place.path === '' ? '' : ` in ${place.path}`;
  for (const [key, entry] of node.entries) {
    const inner = {
      node: entry.node,
      offset: entry.keyOffset,
      path: place.path === '' ? key : `${place.path}.${key}`,
    };
    if (Object.hasOwn(properties, key)) yield* check(inner, properties[key]!, root);
    else if (others === false)
      yield unknownKey(key, entry.keyOffset, where, Object.keys(properties));
    else {
      const names = resolveSchema(propertyNames, root);
      if (!matches(key, names)) {
        const wanted = names.patternErrorMessage ?? `text that matches ${names.pattern}`;
        yield {
          offset: entry.keyOffset,
          message: `the key ${quoteClipped(key)}${where} must be ${wanted}`,
        };
      }
      if (others !== true) yield* check(inner, others, root);
    }
  }
  for (const key of schema.required ?? []) {
    if (node.entries.has(key)) continue;
    const choices =
      properties[key] === undefined ? undefined : resolveSchema(properties[key], root).enum;
    const hint =
      choices === undefined
        ? {}
        : { hint: `use one of: ${choices.map((choice) => JSON.stringify(choice)).join(', ')}` };
    yield { offset: place.offset, message: `the key "${key}" is missing${where}`, ...hint };
  }
  if (node.entries.size < (schema.minProperties ?? 0)) yield findingAt(place, 'must not be empty');
}

function unknownKey(
  key: string,
  offset: number,
  where: string,
  known: readonly string[],
): YamlFinding {
  const meant = nearest(key, known);
  const hint = meant === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${meant}"?`;
  return { offset, message: `unknown key ${quoteClipped(key)}${where}`, hint };
}

function* checkList(
  place: SchemaPlace,
  node: YamlNode & { kind: 'list' },
  schema: JsonSchema,
  root: JsonSchema,
): Iterable<YamlFinding> {
  const { items, minItems = 0, maxItems = Infinity } = schema;
  const seen = new Set<string>();
  for (const [index, item] of node.items.entries()) {
    const inner = { node: item, offset: item.offset, path: `${place.path}[${index}]` };
    if (items !== undefined) yield* check(inner, items, root);
    if (schema.uniqueItems !== true) continue;
    const text = JSON.stringify(valueOf(item));
    if (seen.has(text)) yield findingAt(inner, `repeats ${clipText(text)}`);
    seen.add(text);
  }
  if (node.items.length < minItems) yield findingAt(place, 'must not be empty');
  if (node.items.length > maxItems)
    yield findingAt(place, `must not have more than ${maxItems} items`);
}
