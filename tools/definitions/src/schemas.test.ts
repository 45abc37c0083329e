import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseYaml, type JsonSchema } from './index.ts';
import { loadSchema, resolveSchema } from './json-schema.ts';
import { SCHEMAS, imageSchema, seriesSchema } from './testing/loaded-schemas.ts';

const IMAGES = join(import.meta.dirname, '../../../images');

const CHECKED =
  '$ref type enum const anyOf properties required additionalProperties propertyNames minProperties items minItems maxItems ' +
  'uniqueItems pattern minLength maxLength minimum maximum';

const FOR_READERS = '$schema title description default examples $defs patternErrorMessage';

const KEYWORDS = new Set(`${CHECKED} ${FOR_READERS}`.split(' '));

/** Every schema in `schema` with the path that leads to it. */
function* parts(
  schema: JsonSchema,
  path: string,
): Iterable<{ readonly path: string; readonly schema: JsonSchema }> {
  yield { path, schema };
  for (const keyword of ['properties', '$defs'] as const) {
    for (const [key, part] of Object.entries(schema[keyword] ?? {}))
      yield* parts(part, `${path}/${key}`);
  }
  for (const part of schema.anyOf ?? []) yield* parts(part, `${path}/anyOf`);
  for (const keyword of ['items', 'propertyNames', 'additionalProperties'] as const) {
    const part = schema[keyword];
    if (typeof part === 'object') yield* parts(part, `${path}/${keyword}`);
  }
}

describe.each(readdirSync(SCHEMAS))('%s', (file) => {
  const schema = loadSchema(join(SCHEMAS, file));
  const all = [...parts(schema, '')];

  it('uses only keywords that the checker knows', () => {
    expect(
      all.flatMap((part) =>
        Object.keys(part.schema)
          .filter((key) => !KEYWORDS.has(key))
          .map((key) => `${part.path} ${key}`),
      ),
    ).toEqual([]);
  });

  it('describes every field', () => {
    const fields = all.flatMap(({ path, schema: part }) =>
      Object.entries(part.properties ?? {}).map(([key, field]) => ({
        path: `${path}/${key}`,
        field,
      })),
    );
    expect(fields.length).toBeGreaterThan(4);
    expect(
      fields.filter(
        ({ field }) =>
          (field.description ?? resolveSchema(field, schema).description) === undefined,
      ),
    ).toEqual([]);
  });
});

describe('image.schema.json and series.schema.json', () => {
  const texts = [imageSchema, seriesSchema]
    .flatMap((root) => [...parts(root, '')])
    .filter(({ schema }) => schema.type === 'string');

  it('refuses line breaks and control characters in every text', () => {
    expect(texts.length).toBeGreaterThan(20);
    for (const { path, schema } of texts) {
      for (const value of [
        '',
        'a\nRUN id',
        'a\rb',
        'a\u0000b',
        'a\u001b[0m',
        'a\u2028b',
        'a\u202eb',
        'x1\n',
        '\n',
        '/a\n',
        '90MB\n',
        '2026.1\n',
      ]) {
        const allowed =
          schema.enum === undefined
            ? new RegExp(schema.pattern!, 'u').test(value)
            : schema.enum.includes(value);
        expect(`${path} ${JSON.stringify(value)} ${allowed}`).toBe(
          `${path} ${JSON.stringify(value)} false`,
        );
      }
    }
  });

  it('accepts the same files in editors as the checker', () => {
    const ajv = new Ajv2020({
      strict: true,
      allowUnionTypes: true,
      keywords: ['patternErrorMessage'],
    });
    const [checkImage, checkSeries] = [ajv.compile(imageSchema), ajv.compile(seriesSchema)];
    const names = readdirSync(IMAGES).filter((name) => /^[a-z]/.test(name) && !name.includes('.'));
    expect(names).toContain('keystone');
    for (const name of names) {
      const text = readFileSync(join(IMAGES, name, 'image.yaml'), 'utf8');
      expect(parseYaml(text, name, imageSchema).value).toEqual(parse(text));
      expect(checkImage(parse(text)), JSON.stringify(checkImage.errors)).toBe(true);
    }
    expect(checkSeries(parse(readFileSync(join(IMAGES, 'series.yaml'), 'utf8')))).toBe(true);
  });
});
