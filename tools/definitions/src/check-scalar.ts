import { nearest } from '#core';
import type { YamlFinding } from './compose-yaml.ts';
import type { JsonSchema } from './json-schema.ts';
import { matches } from './matches.ts';
import { clipText, findingAt, quoteClipped, type SchemaPlace } from './schema-words.ts';
import { valueOf } from './yaml-node.ts';

/** Findings where a scalar, whose type is already checked, violates `schema`. */
export function* checkScalar(place: SchemaPlace, schema: JsonSchema): Iterable<YamlFinding> {
  const { node } = place;
  if (schema.enum !== undefined || schema.const !== undefined)
    yield* checkChoice(place, schema.enum ?? [schema.const]);
  if (node.kind !== 'scalar') return;
  if (typeof node.value === 'string') yield* checkText(place, node.value, schema);
  if (typeof node.value === 'number') yield* checkNumber(place, node.value, schema);
}

function* checkText(place: SchemaPlace, value: string, schema: JsonSchema): Iterable<YamlFinding> {
  const { maxLength = Infinity, minLength = 0 } = schema;
  if (value.length > maxLength)
    yield findingAt(place, `must not be longer than ${maxLength} characters`);
  else if (value.length < minLength) yield findingAt(place, 'must not be empty');
  else if (!matches(value, schema)) {
    const wanted = schema.patternErrorMessage ?? `text that matches ${schema.pattern}`;
    yield findingAt(place, `must be ${wanted}, not ${quoteClipped(value)}`);
  }
}

function* checkNumber(
  place: SchemaPlace,
  value: number,
  schema: JsonSchema,
): Iterable<YamlFinding> {
  const { minimum = -Infinity, maximum = Infinity } = schema;
  if (value >= minimum && value <= maximum) return;
  const upTo = minimum === -Infinity ? `at most ${maximum}` : `${minimum} to ${maximum}`;
  yield findingAt(
    place,
    `must be ${maximum === Infinity ? `at least ${minimum}` : upTo}, not ${value}`,
  );
}

function* checkChoice(place: SchemaPlace, choices: readonly unknown[]): Iterable<YamlFinding> {
  const { node } = place;
  const text = JSON.stringify(valueOf(node));
  const spelt = choices.map((choice) => JSON.stringify(choice));
  if (spelt.includes(text)) return;
  const texts = choices.filter((choice) => typeof choice === 'string');
  const meant = node.kind === 'scalar' ? nearest(node.source, texts) : undefined;
  const wanted = spelt.length > 1 ? `one of ${spelt.join(', ')}` : spelt[0];
  yield findingAt(
    place,
    `must be ${wanted}, not ${clipText(text)}`,
    meant === undefined ? undefined : `did you mean "${meant}"?`,
  );
}
