import type { YamlFinding } from './compose-yaml.ts';
import type { JsonSchema, JsonType } from './json-schema.ts';
import { matches } from './matches.ts';
import type { YamlNode } from './yaml-node.ts';

/** A value that is checked, and how messages name it. */
export interface Place {
  readonly node: YamlNode;
  /** What a message about a map or list points to. */
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

/** A finding about the value at `place`; `message` goes on from the value's name. */
export function findingAt(place: Place, message: string, hint?: string): YamlFinding {
  const subject = place.path === '' ? 'the file' : place.path;
  const offset = place.node.kind === 'scalar' ? place.node.offset : place.offset;
  return { offset, message: `${subject} ${message}`, ...(hint === undefined ? {} : { hint }) };
}

/** The finding where the value is of no type that one of `schemas` allows. */
export function typeFinding(place: Place, schemas: readonly JsonSchema[]): YamlFinding {
  const { node } = place;
  const types = schemas.flatMap(typesOf);
  if (node.kind === 'scalar' && node.value === null) return findingAt(place, 'has no value');
  const wanted = [...new Set(types.map((type) => TYPE_WORDS[type]))].join(' or ');
  if (node.kind !== 'scalar') return findingAt(place, `must be ${wanted}, not a ${node.kind}`);
  if (typeof node.value === 'string') return findingAt(place, `must be ${wanted}, not ${PRIVATE_KEY.test(node.value) ? '' : 'the text '}${quote(node.value)}`);
  const read = typeof node.value === 'number' ? 'the number' : 'the truth value';
  return findingAt(place, `must be ${wanted}, not ${read} ${clip(node.source)}`, textHint(node.source, schemas));
}

/** What to write in place of a number or truth value where text is wanted: the same in quotes, if that would be right. */
function textHint(source: string, schemas: readonly JsonSchema[]): string | undefined {
  const texts = schemas.filter((schema) => typesOf(schema).includes('string'));
  if (texts.some((schema) => matches(source, schema))) return `put it in quotes: "${source}"`;
  const wanted = texts.find(({ patternErrorMessage }) => patternErrorMessage !== undefined)?.patternErrorMessage;
  return wanted === undefined ? undefined : `write ${wanted}`;
}

/** The types a schema allows; none where it does not say. */
export function typesOf(schema: JsonSchema): readonly JsonType[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

/** True where the node is of one of `types`, or there are none. */
export function hasType(node: YamlNode, types: readonly JsonType[]): boolean {
  return types.length === 0 || types.some((type) => isOfType(node, type));
}

function isOfType(node: YamlNode, type: JsonType): boolean {
  if (node.kind === 'map') return type === 'object';
  if (node.kind === 'list') return type === 'array';
  if (node.value === null) return type === 'null';
  if (typeof node.value === 'number') {
    return (type === 'number' && Number.isFinite(node.value)) || (type === 'integer' && Number.isSafeInteger(node.value));
  }
  return type === typeof node.value;
}

/** The text in quotes with control characters escaped, cut where it is long. */
export function quote(text: string): string {
  return clip(JSON.stringify(text));
}

/** The text, cut where it is long; a private key is named, and nothing of it shown. */
export function clip(text: string): string {
  if (PRIVATE_KEY.test(text)) return 'a private key';
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}
