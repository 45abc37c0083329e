import { describe, expect, it } from 'vitest';
import { parseYaml, type JsonSchema } from './index.ts';
import { errorsOf } from './testing.ts';

const SCHEMA: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['title'],
  properties: {
    title: {
      type: 'string',
      maxLength: 20,
      pattern: '^[a-z ]+$',
      patternErrorMessage: 'lower-case words',
    },
    kind: { type: 'string', enum: ['base', 'builder'] },
    format: { const: 1 },
    count: { type: 'integer', minimum: 1, maximum: 9 },
    on: { type: 'boolean' },
    refs: {
      type: 'object',
      minProperties: 1,
      propertyNames: { pattern: '^[0-9.]+$', patternErrorMessage: 'a series' },
      additionalProperties: { type: 'string' },
    },
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 4,
      uniqueItems: true,
      items: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/item' }] },
    },
    nested: { type: 'object' },
  },
  $defs: {
    item: {
      type: 'object',
      additionalProperties: false,
      required: ['value'],
      properties: { value: { type: 'string' } },
    },
  },
};

function read(text: string) {
  return parseYaml<Record<string, unknown>>(text, 'a.yaml', SCHEMA);
}

describe('parseYaml', () => {
  it('returns the value and the position of each part', () => {
    const { value, position } = read(
      'title: two words\nrefs: { 2026.1: x }\nitems:\n  - a\n  - value: b\n',
    );
    expect(value).toEqual({
      title: 'two words',
      refs: { '2026.1': 'x' },
      items: ['a', { value: 'b' }],
    });
    expect(position(['refs', '2026.1'])).toEqual({ file: 'a.yaml', line: 2, column: 17 });
    expect(position(['items', 1, 'value'])).toEqual({ file: 'a.yaml', line: 5, column: 12 });
    expect(position(['items', 7])).toEqual({ file: 'a.yaml', line: 3, column: 1 });
  });

  it.each([
    [
      'titel: a',
      'a.yaml:1:1: unknown key "titel" [did you mean "title"?]\na.yaml:1:1: the key "title" is missing',
    ],
    [
      'title: a\nwhatever: b',
      'a.yaml:2:1: unknown key "whatever" [known keys: title, kind, format, count, on, refs, items, nested]',
    ],
    [
      'title: a\nitems: [{ valu: b, value: c }]',
      'a.yaml:2:11: unknown key "valu" in items[0] [did you mean "value"?]',
    ],
    ['title: a\ntitle: b', 'a.yaml:2:1: the key "title" is repeated in the same map'],
    [
      'title: a\nrefs: { 2026.1: x, "2026.1": y }',
      'a.yaml:2:20: the key "2026.1" is repeated in the same map',
    ],
    ['title: "a\\nRUN x"', 'a.yaml:1:8: title must be lower-case words, not "a\\nRUN x"'],
    [`title: ${'a'.repeat(21)}`, 'a.yaml:1:8: title must not be longer than 20 characters'],
    ['title: 1.10', 'a.yaml:1:8: title must be text, not the number 1.10 [write lower-case words]'],
    ['title:', 'a.yaml:1:7: title has no value'],
    ['title: [a]', 'a.yaml:1:1: title must be text, not a list'],
    ['- title', 'a.yaml:1:1: the file must be a map, not a list'],
    [
      'title: a\nkind: bulder',
      'a.yaml:2:7: kind must be one of "base", "builder", not "bulder" [did you mean "builder"?]',
    ],
    ['title: a\nformat: 2', 'a.yaml:2:9: format must be 1, not 2'],
    ['title: a\ncount: 10', 'a.yaml:2:8: count must be 1 to 9, not 10'],
    ['title: a\ncount: 1.5', 'a.yaml:2:8: count must be a whole number, not the number 1.5'],
    ['title: a\non: yes', 'a.yaml:2:5: on must be true or false, not the text "yes"'],
    ['title: a\nrefs: {}', 'a.yaml:2:1: refs must not be empty'],
    ['title: a\nrefs: { x: y }', 'a.yaml:2:9: the key "x" in refs must be a series'],
    ['title: a\nitems: []', 'a.yaml:2:1: items must not be empty'],
    ['title: a\nitems: [a, b, a]', 'a.yaml:2:15: items[2] repeats "a"'],
    ['title: a\nitems: [a, b, c, d, e]', 'a.yaml:2:1: items must not have more than 4 items'],
    [
      'title: a\nitems: [true]',
      'a.yaml:2:9: items[0] must be text or a map, not the boolean true [put it in quotes: "true"]',
    ],
    ['', 'a.yaml:1:1: the file is empty [add content, or remove the file]'],
    [
      'title: a\nitems: -----BEGIN PRIVATE KEY-----MIIE',
      'a.yaml:2:8: items must be a list, not a private key',
    ],
    [
      'title: a\n---\ntitle: b',
      'a.yaml:2:1: a second document starts here [keep one document per file]',
    ],
    [
      'title: &a x\nnested: *a',
      'a.yaml:1:11: &a is an anchor [remove it; anchors and aliases are not supported]\na.yaml:2:9: *a is an alias [write the value itself; aliases are not supported]',
    ],
    [
      'title: !!binary x',
      'a.yaml:1:17: the value has the YAML tag tag:yaml.org,2002:binary [remove the tag: YAML tags are not supported]',
    ],
    ['title: a\nnested: { [a]: b }', 'a.yaml:2:11: a key must be text'],
    ['title: a\nnested: { __proto__: b }', 'a.yaml:2:11: the key "__proto__" is not allowed'],
    ['\ttitle: a', 'a.yaml:1:1: Tabs are not allowed as indentation'],
  ])('refuses %j', (text, errors) => {
    expect(errorsOf(() => read(text))).toBe(errors);
  });

  it.each([
    [
      'flow lists in lists',
      `title: a\nnested: ${'['.repeat(100_000)}`,
      'a.yaml:2:42: nesting is deeper than 32 levels',
    ],
    [
      'lists in lists',
      `nested:\n  ${'- '.repeat(100_000)}`,
      'a.yaml:2:68: nesting is deeper than 32 levels',
    ],
    [
      'a huge file',
      `title: a #${'#'.repeat(4 << 20)}`,
      'a.yaml: the file is longer than 262144 characters',
    ],
  ])('refuses %s before parsing becomes expensive', (_, text, errors) => {
    expect(errorsOf(() => read(text))).toBe(errors);
  });

  it('reports only the first 50 findings', () => {
    const text = Array.from({ length: 60 }, (_, index) => `wrong${index}: x\n`).join('');
    expect(errorsOf(() => read(text)).split('\n')).toHaveLength(50);
  });
});
