import { CcpError, nearest } from '#core';
import { TemplateRecord, type TemplateValue } from './template-values.ts';

/** Plain data that a template is rendered from. */
export type ContextValue =
  | null
  | boolean
  | number
  | string
  | readonly ContextValue[]
  | { readonly [name: string]: ContextValue };

/** Characters that any program could treat as a line end in a Dockerfile. */
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * Converts `value` to a template value. `path` is its name in templates. Raises `template-value`
 * for a text with a line break or another control character.
 */
export function contextValue(value: ContextValue, path: string): TemplateValue {
  if (typeof value === 'string') return checkText(value, path);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map((item, index) => contextValue(item, `${path}[${index}]`));
  const members = Object.entries(value).map(([name, member]): [string, TemplateValue] => [
    name,
    contextValue(member, `${path}.${name}`),
  ]);
  return new TemplateRecord(new Map(members), path);
}

function isList(value: object): value is readonly ContextValue[] {
  return Array.isArray(value);
}

/** True for a record without the member `name`. */
export function lacksMember(value: ContextValue, name: string): boolean {
  return (
    value !== null && typeof value === 'object' && !isList(value) && !Object.hasOwn(value, name)
  );
}

/**
 * The message and hint for a name that is not a member of the record `path`; its members are
 * `known`.
 */
export function unknownName(
  name: string,
  known: readonly string[],
  path: string,
): { readonly message: string; readonly hint: string } {
  const close = nearest(name, known);
  const members = known.length > 0 ? `${path} has ${known.join(', ')}` : `${path} is empty`;
  return {
    message: `unknown name ${path}.${name}`,
    hint: close === undefined ? members : `did you mean ${path}.${close}?`,
  };
}

function checkText(text: string, path: string): string {
  if (!CONTROL.test(text)) return text;
  throw new CcpError({
    code: 'template-value',
    message: `${path} contains a line break or another control character: ${JSON.stringify(text)}`,
    hint: 'write the value on one line: a line break could add a Dockerfile instruction',
  });
}
