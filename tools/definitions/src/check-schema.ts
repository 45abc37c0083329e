import { nearest } from '#core';
import type { YamlFinding } from './compose-yaml.ts';
import { resolveSchema, type JsonSchema, type JsonType } from './json-schema.ts';
import { valueOf, type YamlNode } from './yaml-node.ts';

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

/** Everything in `node` that `schema` does not allow, in the order of the file, in words for people who write YAML. */
export function checkSchema(node: YamlNode, schema: JsonSchema): YamlFinding[] {
  const findings: YamlFinding[] = [];
  check({ node, offset: node.offset, path: '' }, schema, { root: schema, findings });
  return findings.sort((a, b) => a.offset - b.offset);
}

interface Place {
  readonly node: YamlNode;
  /** What a message about a map or list points to. */
  readonly offset: number;
  /** `debian.runtime.packages[2]`; empty at the top. */
  readonly path: string;
}

interface Run {
  readonly root: JsonSchema;
  readonly findings: YamlFinding[];
}

function check(place: Place, unresolved: JsonSchema, run: Run): void {
  const schema = resolveSchema(unresolved, run.root);
  const { node } = place;
  if (schema.anyOf !== undefined) {
    checkBranches(place, schema.anyOf, run);
    return;
  }
  const types = typesOf(schema);
  if (types.length > 0 && !types.some((type) => hasType(node, type))) {
    run.findings.push(typeFinding(place, types));
    return;
  }
  if (schema.enum !== undefined || schema.const !== undefined) checkChoice(place, schema.enum ?? [schema.const!], run);
  if (node.kind === 'map') checkMap(place, node, schema, run);
  else if (node.kind === 'list') checkList(place, node, schema, run);
  else if (typeof node.value === 'string') checkText(place, node.value, schema, run);
  else if (typeof node.value === 'number') checkNumber(place, node.value, schema, run);
}

function checkBranches(place: Place, branches: readonly JsonSchema[], run: Run): void {
  const schemas = branches.map((branch) => resolveSchema(branch, run.root));
  const fitting = schemas.filter((schema) => {
    const types = typesOf(schema);
    return types.length === 0 || types.some((type) => hasType(place.node, type));
  });
  if (fitting.length === 0) {
    run.findings.push(typeFinding(place, schemas.flatMap(typesOf)));
    return;
  }
  const results = fitting.map((schema) => {
    const findings: YamlFinding[] = [];
    check(place, schema, { root: run.root, findings });
    return findings;
  });
  run.findings.push(...results.reduce((best, next) => (next.length < best.length ? next : best)));
}

function checkMap(place: Place, node: YamlNode & { kind: 'map' }, schema: JsonSchema, run: Run): void {
  const properties = schema.properties ?? {};
  const known = Object.keys(properties);
  const where = place.path === '' ? '' : ` in ${place.path}`;
  for (const [key, entry] of node.entries) {
    const inner = { node: entry.node, offset: entry.keyOffset, path: place.path === '' ? key : `${place.path}.${key}` };
    if (Object.hasOwn(properties, key)) check(inner, properties[key]!, run);
    else if (schema.additionalProperties === false) {
      const meant = nearest(key, known);
      const hint = meant === undefined ? `known keys: ${known.join(', ')}` : `did you mean "${meant}"?`;
      run.findings.push({ offset: entry.keyOffset, message: `unknown key ${shown(key)}${where}`, hint });
    } else {
      if (schema.propertyNames !== undefined) checkKey(key, entry.keyOffset, where, resolveSchema(schema.propertyNames, run.root), run);
      if (typeof schema.additionalProperties === 'object') check(inner, schema.additionalProperties, run);
    }
  }
  for (const key of schema.required ?? []) {
    if (!node.entries.has(key)) run.findings.push({ offset: place.offset, message: `the key "${key}" is missing${where}` });
  }
  if (node.entries.size < (schema.minProperties ?? 0)) run.findings.push(finding(place, 'must not be empty'));
}

function checkKey(key: string, offset: number, where: string, schema: JsonSchema, run: Run): void {
  if (schema.pattern !== undefined && !regExp(schema.pattern).test(key)) {
    const wanted = schema.patternErrorMessage ?? `match ${schema.pattern}`;
    run.findings.push({ offset, message: `the key ${shown(key)}${where} must be ${wanted}` });
  }
}

function checkList(place: Place, node: YamlNode & { kind: 'list' }, schema: JsonSchema, run: Run): void {
  const seen = new Set<string>();
  for (const [index, item] of node.items.entries()) {
    const inner = { node: item, offset: item.offset, path: `${place.path}[${index}]` };
    if (schema.items !== undefined) check(inner, schema.items, run);
    if (schema.uniqueItems !== true) continue;
    const text = JSON.stringify(valueOf(item));
    if (seen.has(text)) run.findings.push(finding(inner, `repeats ${clip(text)}`));
    seen.add(text);
  }
  if (node.items.length < (schema.minItems ?? 0)) run.findings.push(finding(place, 'must not be empty'));
  if (node.items.length > (schema.maxItems ?? Infinity)) run.findings.push(finding(place, `must not hold more than ${schema.maxItems} items`));
}

function checkText(place: Place, value: string, schema: JsonSchema, run: Run): void {
  if (value.length > (schema.maxLength ?? Infinity)) {
    run.findings.push(finding(place, `must not be longer than ${schema.maxLength} characters`));
  } else if (value.length < (schema.minLength ?? 0)) run.findings.push(finding(place, 'must not be empty'));
  else if (schema.pattern !== undefined && !regExp(schema.pattern).test(value)) {
    const wanted = schema.patternErrorMessage ?? `text that matches ${schema.pattern}`;
    run.findings.push(finding(place, `must be ${wanted}, not ${shown(value)}`));
  }
}

function checkNumber(place: Place, value: number, schema: JsonSchema, run: Run): void {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value >= minimum && value <= maximum) return;
  const bounds = maximum === Infinity ? `at least ${minimum}` : minimum === -Infinity ? `at most ${maximum}` : `${minimum} to ${maximum}`;
  run.findings.push(finding(place, `must be ${bounds}, not ${value}`));
}

function checkChoice(place: Place, choices: readonly unknown[], run: Run): void {
  const text = JSON.stringify(valueOf(place.node));
  if (choices.some((choice) => JSON.stringify(choice) === text)) return;
  const { node } = place;
  const meant = node.kind === 'scalar' ? nearest(node.source, choices.filter((choice) => typeof choice === 'string')) : undefined;
  const list = choices.map((choice) => JSON.stringify(choice)).join(', ');
  const hint = meant === undefined ? undefined : `did you mean "${meant}"?`;
  run.findings.push(finding(place, `must be ${choices.length > 1 ? `one of ${list}` : list}, not ${clip(text)}`, hint));
}

function typeFinding(place: Place, types: readonly JsonType[]): YamlFinding {
  const { node } = place;
  if (node.kind === 'scalar' && node.value === null) return finding(place, 'has no value');
  const wanted = [...new Set(types.map((type) => TYPE_WORDS[type]))].join(' or ');
  if (node.kind !== 'scalar') return finding(place, `must be ${wanted}, not a ${node.kind}`);
  if (typeof node.value === 'string') return finding(place, `must be ${wanted}, not the text ${shown(node.value)}`);
  const read = typeof node.value === 'number' ? 'the number' : 'the truth value';
  const hint = types.includes('string') ? `put it in quotes: "${node.source}"` : undefined;
  return finding(place, `must be ${wanted}, not ${read} ${clip(node.source)}`, hint);
}

function finding(place: Place, message: string, hint?: string): YamlFinding {
  const subject = place.path === '' ? 'the file' : place.path;
  const offset = place.node.kind === 'scalar' ? place.node.offset : place.offset;
  return { offset, message: `${subject} ${message}`, ...(hint === undefined ? {} : { hint }) };
}

function typesOf(schema: JsonSchema): readonly JsonType[] {
  if (schema.type === undefined) return [];
  return typeof schema.type === 'string' ? [schema.type] : schema.type;
}

function hasType(node: YamlNode, type: JsonType): boolean {
  if (node.kind === 'map') return type === 'object';
  if (node.kind === 'list') return type === 'array';
  if (node.value === null) return type === 'null';
  if (typeof node.value === 'number') {
    return (type === 'number' && Number.isFinite(node.value)) || (type === 'integer' && Number.isSafeInteger(node.value));
  }
  return type === typeof node.value;
}

function shown(text: string): string {
  return clip(JSON.stringify(text));
}

function clip(text: string): string {
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}…`;
}

const patterns = new Map<string, RegExp>();

function regExp(source: string): RegExp {
  let known = patterns.get(source);
  if (known === undefined) patterns.set(source, (known = new RegExp(source, 'u')));
  return known;
}
