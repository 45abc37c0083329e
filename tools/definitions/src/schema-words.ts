import { omitUndefined } from '#core';
import type { YamlFinding } from './compose-yaml.ts';
import type { JsonSchema, JsonType } from './json-schema.ts';
import { matches } from './matches.ts';
import type { YamlNode } from './yaml-node.ts';

/** A value to check and its name for messages. */
export interface SchemaPlace {
  readonly node: YamlNode;
  /** Offset for messages about a map or list. */
  readonly offset: number;
  /** `debian.runtime.packages[2]`; empty at the top. */
  readonly path: string;
}

const TYPE_WORDS: Readonly<Record<JsonType, string>> = {
  object: 'a map',
  array: 'a list',
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'empty',
};
const SHOWN_CHARACTERS = 60;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/;

/** A finding about the value at `place`; `message` is appended to the value's name. */
export function findingAt(place: SchemaPlace, message: string, hint?: string): YamlFinding {
  const subject = place.path === '' ? 'the file' : place.path;
  const offset = place.node.kind === 'scalar' ? place.node.offset : place.offset;
  return { offset, message: `${subject} ${message}`, ...omitUndefined({ hint }) };
}

/** The finding for a value of a type that none of `schemas` allows. */
export function typeFinding(place: SchemaPlace, schemas: readonly JsonSchema[]): YamlFinding {
  const { node } = place;
  const types = schemas.flatMap(typesOf);
  if (node.kind === 'scalar' && node.value === null) return findingAt(place, 'has no value');
  const wanted = [...new Set(types.map((type) => TYPE_WORDS[type]))].join(' or ');
  if (node.kind !== 'scalar') return findingAt(place, `must be ${wanted}, not a ${node.kind}`);
  if (typeof node.value === 'string')
    return findingAt(
      place,
      `must be ${wanted}, not ${PRIVATE_KEY.test(node.value) ? '' : 'the text '}${quoteClipped(node.value)}`,
    );
  const read = typeof node.value === 'number' ? 'the number' : 'the boolean';
  return findingAt(
    place,
    `must be ${wanted}, not ${read} ${clipText(node.source)}`,
    textHint(node.source, schemas),
  );
}

/**
 * Hint for a number or boolean where text is expected: the same value in quotes, if that is valid.
 */
function textHint(source: string, schemas: readonly JsonSchema[]): string | undefined {
  const texts = schemas.filter((schema) => typesOf(schema).includes('string'));
  if (texts.some((schema) => matches(source, schema))) return `put it in quotes: "${source}"`;
  const wanted = texts.find(
    ({ patternErrorMessage }) => patternErrorMessage !== undefined,
  )?.patternErrorMessage;
  return wanted === undefined ? undefined : `write ${wanted}`;
}

/** The types that a schema allows; empty if it does not limit them. */
export function typesOf(schema: JsonSchema): readonly JsonType[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

/** True if the node has one of `types`, or `types` is empty. */
export function hasType(node: YamlNode, types: readonly JsonType[]): boolean {
  return types.length === 0 || types.some((type) => isOfType(node, type));
}

function isOfType(node: YamlNode, type: JsonType): boolean {
  if (node.kind === 'map') return type === 'object';
  if (node.kind === 'list') return type === 'array';
  if (node.value === null) return type === 'null';
  if (typeof node.value === 'number') {
    return (
      (type === 'number' && Number.isFinite(node.value)) ||
      (type === 'integer' && Number.isSafeInteger(node.value))
    );
  }
  return type === typeof node.value;
}

/** The text in quotes with control characters escaped, truncated if long. */
export function quoteClipped(text: string): string {
  return clipText(JSON.stringify(text));
}

/** The text, truncated if long; nothing of a private key is shown. */
export function clipText(text: string): string {
  if (PRIVATE_KEY.test(text)) return 'a private key';
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
