import type { JsonSchema } from './json-schema.ts';

/** True if the schema has no pattern or the text matches it. */
export function matches(text: string, schema: JsonSchema): boolean {
  return schema.pattern === undefined || regExp(schema.pattern).test(text);
}

const patterns = new Map<string, RegExp>();

function regExp(source: string): RegExp {
  let known = patterns.get(source);
  if (known === undefined) patterns.set(source, (known = new RegExp(source, 'u')));
  return known;
}
