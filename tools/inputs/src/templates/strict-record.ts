import { CcpError, nearest } from '#core';

/** A value that a template may see. */
export type TemplateValue = null | boolean | number | string | readonly TemplateValue[] | { readonly [name: string]: TemplateValue };

/** Characters that could end a Dockerfile's line, whichever way a program reads lines. */
const CONTROL = /[\u0000-\u001f\u007f\u0085\u2028\u2029]/;

/**
 * `value` for templates: an unknown member of a record raises `template-name` with the nearest known one (nunjucks would
 * treat it as false), and a text that holds a line break or another control character raises `template-value`.
 * `{% if 'x' in record %}` asks without raising. `path` is how a template names the value.
 */
export function strictValue(value: TemplateValue, path: string): TemplateValue {
  if (typeof value === 'string') return checkText(value, path);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return Object.freeze(value.map((item, index) => strictValue(item, `${path}[${index}]`)));
  const record: Record<string, TemplateValue> = Object.create(null) as Record<string, TemplateValue>;
  for (const [name, member] of Object.entries(value)) record[name] = strictValue(member, `${path}.${name}`);
  return new Proxy(Object.freeze(record), { get: (target, name) => (typeof name === 'symbol' ? undefined : memberOf(target, name, path)) });
}

function isList(value: object): value is readonly TemplateValue[] {
  return Array.isArray(value);
}

/** What is wrong with asking `value`, which a template names `path`, for a member; nothing where it has it or may have it. */
export function unknownMember(value: TemplateValue, name: string, path: string): { readonly message: string; readonly hint: string } | undefined {
  if (value === null || typeof value !== 'object' || isList(value) || Object.hasOwn(value, name)) return undefined;
  const known = Object.keys(value);
  const close = nearest(name, known);
  const members = known.length > 0 ? `${path} has ${known.join(', ')}` : `${path} is empty`;
  return { message: `unknown name ${path}.${name}`, hint: close === undefined ? members : `did you mean ${path}.${close}?` };
}

function memberOf(record: Readonly<Record<string, TemplateValue>>, name: string, path: string): TemplateValue | undefined {
  if (name === 'valueOf' || name === 'toString') {
    throw new CcpError({
      code: 'template-name',
      message: `${path} is a record, not a text`,
      hint: `name one of its members: ${Object.keys(record).join(', ')}`,
    });
  }
  const unknown = unknownMember(record, name, path);
  if (unknown !== undefined) throw new CcpError({ code: 'template-name', ...unknown });
  return record[name];
}

function checkText(text: string, path: string): string {
  if (!CONTROL.test(text)) return text;
  throw new CcpError({
    code: 'template-value',
    message: `${path} holds a line break or another control character: ${JSON.stringify(text)}`,
    hint: 'a value must not be able to add a Dockerfile instruction: write it on one line',
  });
}
