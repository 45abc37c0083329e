import { expect, it } from 'vitest';
import { customResourceDefinitions } from './definitions.ts';

interface Schema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly description?: string;
}

const specs = customResourceDefinitions().map(
  (definition) =>
    (
      definition['spec'] as {
        readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
      }
    ).versions[0]!.schema.openAPIV3Schema.properties!['spec']!,
);

function every(schema: Schema, path: string): readonly (readonly [string, Schema])[] {
  return [
    [path, schema],
    ...Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      every(inner, `${path}.${name}`),
    ),
    ...(schema.items === undefined ? [] : every(schema.items, `${path}[]`)),
  ];
}

it('stays below 64 KiB', () => {
  for (const definition of customResourceDefinitions())
    expect(JSON.stringify(definition).length).toBeLessThan(64 << 10);
});

it('describes and bounds each field of a spec, as the cost of its rules demands', () => {
  const fields = specs.flatMap((spec) => every(spec, 'spec'));
  expect(fields.length).toBeGreaterThan(40);
  expect(
    fields
      .filter(([path, { description }]) => description === undefined && !path.endsWith('[]'))
      .map(([path]) => path),
  ).toEqual([]);
  expect(
    fields
      .filter(
        ([, { type, maxLength, maxItems, enum: words }]) =>
          (type === 'string' && maxLength === undefined && words === undefined) ||
          (type === 'array' && maxItems === undefined),
      )
      .map(([path]) => path),
  ).toEqual([]);
});

it('gives only an OpenStackService an app, which is required', () => {
  expect(specs.map((spec) => 'app' in spec.properties!)).toEqual([false, true]);
});
