import { readFileSync } from 'node:fs';
import type { Json } from '#core';

/** Names of JSON types as JSON Schema spells them. */
export type JsonType = 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean' | 'null';

/**
 * The part of JSON Schema (draft 2020-12) that our files use. `patternErrorMessage` is the editors' extension: a noun phrase
 * for what the pattern stands for ("a Debian package name"), shown by them and by us. `$ref` names an entry of `$defs`.
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

/** The schema in a JSON file, read once in a process. */
export function loadSchema(file: string | URL): JsonSchema {
  const key = String(file);
  const known = loaded.get(key);
  if (known !== undefined) return known;
  const schema = JSON.parse(readFileSync(file, 'utf8')) as JsonSchema;
  loaded.set(key, schema);
  return schema;
}

/** `schema`, or what its `$ref` names in the `$defs` of `root`. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const target = root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  if (target === undefined) throw new Error(`the schema has no ${schema.$ref}`);
  return resolveSchema(target, root);
}
