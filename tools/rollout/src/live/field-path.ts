import { CcpError } from '#core';
import type { KubernetesObject } from '#ports';

/**
 * A step into an object: a member, or the list item with these key values, this value or this
 * index.
 */
export type PathStep =
  | { readonly member: string }
  | { readonly key: Readonly<Record<string, unknown>> }
  | { readonly value: unknown }
  | { readonly index: number };

const MEMBER = /^\.([^.[\]]+)/;
const BRACKET = /^\[((?:"(?:[^"\\]|\\.)*"|[^\]"])*)\]/;

/**
 * Parses a field path as the API server writes it in conflicts:
 * `.spec.containers[name="api"].env[name="A"].value`. Throws `deploy-field` for any other text.
 */
export function parseFieldPath(field: string): PathStep[] {
  const steps: PathStep[] = [];
  let rest = field.startsWith('.') || field.startsWith('[') ? field : `.${field}`;
  while (rest !== '') {
    const member = MEMBER.exec(rest);
    const bracket = member === null ? BRACKET.exec(rest) : null;
    if (member !== null) steps.push({ member: member[1]! });
    else if (bracket !== null) steps.push(inBrackets(bracket[1]!, field));
    else
      throw new CcpError({
        code: 'deploy-field',
        message: `"${field}" is not a field path`,
        hint: 'write it like spec.template.spec.containers[name="api"].image',
      });
    rest = rest.slice((member ?? bracket)![0].length);
  }
  return steps;
}

/**
 * The object without a field; unchanged if the field is absent. Maps and lists that become empty
 * stay.
 */
export function withoutField(object: KubernetesObject, field: string): KubernetesObject {
  return remove(object, parseFieldPath(field)) as KubernetesObject;
}

function remove(value: unknown, [step, ...rest]: readonly PathStep[]): unknown {
  if (step === undefined || typeof value !== 'object' || value === null) return value;
  if ('member' in step) {
    const map = value as Readonly<Record<string, unknown>>;
    if (!Object.hasOwn(map, step.member)) {
      // A label key contains dots, which the server writes like those between members.
      const [next, ...others] = rest;
      return next !== undefined && 'member' in next
        ? remove(value, [{ member: `${step.member}.${next.member}` }, ...others])
        : value;
    }
    if (rest.length > 0) return { ...map, [step.member]: remove(map[step.member], rest) };
    const { [step.member]: _, ...others } = map;
    return others;
  }
  if (!Array.isArray(value)) return value;
  return value.flatMap((item: unknown, index): unknown[] => {
    if (!matches(item, index, step)) return [item];
    return rest.length === 0 ? [] : [remove(item, rest)];
  });
}

function matches(
  item: unknown,
  index: number,
  step: Exclude<PathStep, { member: string }>,
): boolean {
  if ('index' in step) return index === step.index;
  if ('value' in step) return item === step.value;
  return (
    typeof item === 'object' &&
    item !== null &&
    Object.entries(step.key).every(
      ([name, value]) => (item as Readonly<Record<string, unknown>>)[name] === value,
    )
  );
}

function inBrackets(text: string, field: string): PathStep {
  try {
    if (/^\d+$/.test(text)) return { index: Number(text) };
    if (text.startsWith('=')) return { value: JSON.parse(text.slice(1)) };
    const pairs = [...text.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|[^,]+),?/g)];
    if (pairs.map(([pair]) => pair).join('') !== text)
      throw new SyntaxError('not a list of name=value');
    return { key: Object.fromEntries(pairs.map(([, name, value]) => [name, JSON.parse(value!)])) };
  } catch (error) {
    throw new CcpError({
      code: 'deploy-field',
      message: `"${field}" is not a field path: [${text}] does not select a list item`,
      cause: error,
    });
  }
}
