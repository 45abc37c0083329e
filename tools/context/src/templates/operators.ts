import { unknownName } from './context-values.ts';
import type { RenderBudget } from './render-budget.ts';
import { TemplateRefusal } from './template-refusal.ts';
import {
  isList,
  kindOf,
  TemplateMacro,
  TemplateRecord,
  type TemplateValue,
} from './template-values.ts';

/** Maximum length of a text that is converted to a number. */
const DIGITS = 40;

/** The output text of a value. */
export function textOf(value: TemplateValue, budget: RenderBudget): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isList(value)) return joinListTexts(value, ',', budget);
  if (value instanceof TemplateRecord) {
    const members = [...value.members.keys()].join(', ');
    throw new TemplateRefusal(
      `${value.path ?? 'the value'} is a record, not a text`,
      members === '' ? undefined : `use one of its members: ${members}`,
    );
  }
  if (value instanceof TemplateMacro)
    throw new TemplateRefusal(
      `${value.name} is a macro, not a text`,
      `call the macro: ${value.name}()`,
    );
  throw new TemplateRefusal(
    `the value is ${value === null ? 'null' : 'undefined'}, not a text`,
    'test the value first ({% if … %}), or set a default: … | default("…", true)',
  );
}

/** The texts of a list's items, joined with `separator`. */
export function joinListTexts(
  list: readonly TemplateValue[],
  separator: string,
  budget: RenderBudget,
): string {
  budget.items(list.length);
  budget.enter();
  const texts = list.map((item) => {
    const text = textOf(item, budget);
    budget.characters(text.length + separator.length);
    return text;
  });
  budget.leave();
  return texts.join(separator);
}

/** Concatenates two texts. */
export function concatenateValues(
  left: TemplateValue,
  right: TemplateValue,
  budget: RenderBudget,
): string {
  const [first, second] = [textOf(left, budget), textOf(right, budget)];
  budget.characters(first.length + second.length);
  return first + second;
}

/** `+`: adds two numbers, or concatenates texts. */
export function addValues(
  left: TemplateValue,
  right: TemplateValue,
  budget: RenderBudget,
): TemplateValue {
  if (typeof left === 'number' && typeof right === 'number') return left + right;
  const plain = (value: TemplateValue): boolean =>
    typeof value === 'string' || typeof value === 'number';
  if (plain(left) && plain(right)) return concatenateValues(left, right, budget);
  throw new TemplateRefusal(
    `+ expects numbers or texts, not ${kindOf(plain(left) ? right : left)}`,
    'join a list first: … | join(" ")',
  );
}

/** The value as a number; a text is converted. */
export function toNumber(value: TemplateValue): number {
  const number =
    typeof value === 'string' && value.length <= DIGITS && value.trim() !== ''
      ? Number(value)
      : value;
  if (typeof number === 'number' && !Number.isNaN(number)) return number;
  throw new TemplateRefusal(
    `cannot calculate with ${kindOf(value)}`,
    'convert it to a number: … | int(0)',
  );
}

/**
 * `==`: a text equals the number it represents; lists, records and macros are compared by identity.
 */
export function valuesEqual(
  left: TemplateValue,
  right: TemplateValue,
  budget: RenderBudget,
): boolean {
  if (typeof left === 'string' && typeof right === 'string')
    return valuesIdentical(left, right, budget);
  const plain = (value: TemplateValue): boolean => value === null || typeof value !== 'object';
  if (!plain(left) || !plain(right)) return left === right;
  budget.characters(
    (typeof left === 'string' ? left.length : 0) + (typeof right === 'string' ? right.length : 0),
  );
  // oxlint-disable-next-line eslint/eqeqeq -- both are primitives
  return left == right;
}

/** `===`. */
export function valuesIdentical(
  left: TemplateValue,
  right: TemplateValue,
  budget: RenderBudget,
): boolean {
  if (typeof left === 'string' && typeof right === 'string')
    budget.characters(left.length === right.length ? left.length : 0);
  return left === right;
}

/**
 * Negative if `left` comes first, positive if `right` does. Texts are compared by code units, other
 * values as numbers.
 */
export function compareValues(
  left: TemplateValue,
  right: TemplateValue,
  budget: RenderBudget,
): number {
  if (typeof left === 'string' && typeof right === 'string') {
    budget.characters(Math.min(left.length, right.length));
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return toNumber(left) - toNumber(right);
}

/** `in`: an item of a list, a part of a text, or a member of a record. */
export function valueContains(
  key: TemplateValue,
  owner: TemplateValue,
  budget: RenderBudget,
): boolean {
  if (isList(owner)) {
    budget.items(owner.length);
    return owner.some((item) => valuesIdentical(item, key, budget));
  }
  if (owner instanceof TemplateRecord) {
    const name = nameOf(key);
    budget.characters(name.length);
    return owner.members.has(name);
  }
  if (typeof owner !== 'string')
    throw new TemplateRefusal(`"in" expects a list, a text or a record, not ${kindOf(owner)}`);
  const needle = nameOf(key);
  budget.search(owner.length, needle.length);
  return owner.includes(needle);
}

/**
 * A member of a value: of a record by name, of a list or a text by number, and the length of
 * either.
 */
export function memberOf(
  owner: TemplateValue,
  key: TemplateValue,
  budget: RenderBudget,
): TemplateValue {
  if (owner === undefined || owner === null) return undefined;
  if (owner instanceof TemplateRecord) {
    const name = nameOf(key);
    budget.characters(name.length);
    const value = owner.members.get(name);
    if (value !== undefined || owner.path === undefined || owner.members.has(name)) return value;
    const { message, hint } = unknownName(name, [...owner.members.keys()], owner.path);
    throw new TemplateRefusal(message, hint, 'template-name');
  }
  if (typeof owner !== 'string' && !isList(owner))
    throw new TemplateRefusal(`${kindOf(owner)} has no members`);
  if (key === 'length') return owner.length;
  if (typeof key === 'number') return Number.isInteger(key) && key >= 0 ? owner[key] : undefined;
  throw new TemplateRefusal(
    `${kindOf(owner)} has no member ${typeof key === 'string' ? JSON.stringify(key) : `named by ${kindOf(key)}`}`,
    'use an item number, or length',
  );
}

function nameOf(key: TemplateValue): string {
  if (typeof key === 'string') return key;
  if (typeof key === 'number') return String(key);
  throw new TemplateRefusal(`${kindOf(key)} is not a name`, 'use a text or a number');
}
