import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { Json } from '#core';

/** Names of JSON types as JSON Schema spells them. */
export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';

/**
 * The supported subset of JSON Schema (draft 2020-12). `patternErrorMessage` is an extension of
 * YAML editors: a noun phrase that describes the pattern ("a Debian package name"), shown by
 * editors and by ccp. `$ref` names an entry of `$defs`.
 */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly enum?: readonly Json[];
  readonly const?: Json;
  /** Branches that differ by type, or by the `const` of a key. */
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly minProperties?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly patternErrorMessage?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

const loaded = new Map<string, JsonSchema>();

/** A reference to a definition in another schema of the same folder. */
const OTHER_SCHEMA = /"\$ref": "([a-z-]+\.schema\.json)#/g;

/**
 * The schema in a JSON file, read once per process, with the `$defs` of schemas in its folder that
 * it refers to.
 */
export function loadSchema(file: string | URL): JsonSchema {
  const url = file instanceof URL ? file : pathToFileURL(file);
  const known = loaded.get(url.href);
  if (known !== undefined) return known;
  const text = readFileSync(url, 'utf8');
  const others = new Set([...text.matchAll(OTHER_SCHEMA)].map((match) => match[1] as string));
  const own = JSON.parse(text.replaceAll(OTHER_SCHEMA, '"$ref": "#')) as JsonSchema;
  const $defs = Object.assign(
    {},
    ...[...others].map((name) => loadSchema(new URL(name, url)).$defs),
    own.$defs,
  ) as Record<string, JsonSchema>;
  const schema = Object.keys($defs).length === 0 ? own : { ...own, $defs };
  loaded.set(url.href, schema);
  return schema;
}

/** `schema`, or the schema in the `$defs` of `root` that its `$ref` names. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  if (target === undefined) throw new Error(`the schema has no ${schema.$ref}`);
  return resolveSchema(target, root);
}
