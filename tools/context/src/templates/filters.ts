import type { FilterName } from './dialect.ts';
import { joinListTexts, memberOf, compareValues, textOf } from './operators.ts';
import type { RenderBudget } from './render-budget.ts';
import { TemplateRefusal } from './template-refusal.ts';
import {
  isList,
  isTrue,
  kindOf,
  TemplateRecord,
  type TemplateArguments,
  type TemplateValue,
} from './template-values.ts';

type Filter = (
  value: TemplateValue,
  given: readonly TemplateValue[],
  budget: RenderBudget,
) => TemplateValue;

/** Parameters of the filters with named arguments. */
const PARAMETERS: Partial<Record<FilterName, readonly string[]>> = {
  int: ['default', 'base'],
  sort: ['reverse', 'case_sensitive', 'attribute'],
};

/** Applies the filter `name`. Results match nunjucks; values of unsupported types are refused. */
export function applyFilter(
  name: string,
  value: TemplateValue,
  { values, named }: TemplateArguments,
  budget: RenderBudget,
): TemplateValue {
  budget.round();
  const filter = FILTER.get(name);
  if (filter === undefined) throw new TemplateRefusal(`unknown filter ${name}`);
  const parameters = PARAMETERS[name as FilterName] ?? [];
  const given = [...values];
  for (const [parameter, argument] of named) {
    const index = parameters.indexOf(parameter);
    if (index < 0)
      throw new TemplateRefusal(`the filter ${name} has no argument named ${parameter}`);
    given[index] = argument;
  }
  return filter(value, given, budget);
}

const FILTER: ReadonlyMap<string, Filter> = new Map<FilterName, Filter>([
  [
    'default',
    (value, [other, falseToo]) =>
      (isTrue(falseToo) ? isTrue(value) : value !== undefined) ? value : other,
  ],
  ['first', (value) => listed('first', value)[0]],
  ['last', (value) => listed('last', value).at(-1)],
  ['length', lengthOf],
  ['lower', (value, _, budget) => wordsOf('lower', value, budget).toLowerCase()],
  ['upper', (value, _, budget) => wordsOf('upper', value, budget).toUpperCase()],
  ['trim', (value, _, budget) => wordsOf('trim', value, budget).trim()],
  ['int', toInteger],
  ['join', join],
  ['replace', replace],
  ['sort', sort],
]);

function listed(filter: string, value: TemplateValue): string | readonly TemplateValue[] {
  if (typeof value === 'string' || isList(value)) return value;
  throw new TemplateRefusal(`the filter ${filter} expects a list or a text, not ${kindOf(value)}`);
}

/** The value as a text; its upper and lower case forms are at most three times as long. */
function wordsOf(filter: string, value: TemplateValue, budget: RenderBudget): string {
  const text = value === null || value === undefined || value === false ? '' : value;
  if (typeof text !== 'string')
    throw new TemplateRefusal(`the filter ${filter} expects a text, not ${kindOf(value)}`);
  budget.characters(3 * text.length);
  return text;
}

function lengthOf(value: TemplateValue): number {
  if (value === null || value === undefined || value === false) return 0;
  if (value instanceof TemplateRecord) return value.members.size;
  return listed('length', value).length;
}

function toInteger(
  value: TemplateValue,
  [other, base = 10]: readonly TemplateValue[],
  budget: RenderBudget,
): TemplateValue {
  const plain = typeof value === 'string' || typeof value === 'number';
  if (typeof base !== 'number')
    throw new TemplateRefusal('the base of the filter int must be a number');
  if (typeof value === 'string') budget.characters(value.length);
  const number = plain ? Number.parseInt(String(value), base) : Number.NaN;
  return Number.isNaN(number) ? other : number;
}

function join(
  value: TemplateValue,
  [separator = '', attribute]: readonly TemplateValue[],
  budget: RenderBudget,
): string {
  if (!isList(value))
    throw new TemplateRefusal(`the filter join expects a list, not ${kindOf(value)}`);
  budget.items(value.length);
  const items = isTrue(attribute) ? value.map((item) => memberOf(item, attribute, budget)) : value;
  return joinListTexts(items, isTrue(separator) ? textOf(separator, budget) : '', budget);
}

function replace(
  value: TemplateValue,
  [old, by, limit]: readonly TemplateValue[],
  budget: RenderBudget,
): TemplateValue {
  const plain = (each: TemplateValue): each is string | number =>
    typeof each === 'string' || typeof each === 'number';
  if (!plain(value) || !plain(old) || !plain(by))
    throw new TemplateRefusal(
      `the filter replace expects texts, not ${kindOf([value, old, by].find((each) => !plain(each)))}`,
    );
  if (limit !== undefined && typeof limit !== 'number')
    throw new TemplateRefusal('the limit of the filter replace must be a number');
  const [text, from, to] = [String(value), String(old), String(by)];
  budget.search(text.length, from.length);
  if (from === '') {
    budget.characters((text.length + 1) * (to.length + 1));
    return to + text.split('').join(to) + to;
  }
  const parts = text.split(from);
  const count = limit === undefined || limit === -1 ? parts.length - 1 : Math.max(0, limit);
  const replaced = Math.min(count, parts.length - 1);
  budget.items(parts.length);
  budget.characters(replaced * to.length);
  return [parts.slice(0, replaced + 1).join(to), ...parts.slice(replaced + 1)].join(from);
}

function sort(
  value: TemplateValue,
  [reverse, sensitive, attribute]: readonly TemplateValue[],
  budget: RenderBudget,
): TemplateValue {
  if (!isList(value))
    throw new TemplateRefusal(`the filter sort expects a list, not ${kindOf(value)}`);
  const path = isTrue(attribute) ? textOf(attribute, budget).split('.') : [];
  budget.items(value.length * (path.length + 1));
  const keyed = value.map((item) => {
    const key = path.reduce((owner, name) => memberOf(owner, name, budget), item);
    if (key === undefined && path.length > 0)
      throw new TemplateRefusal(`an item to sort has no ${path.join('.')}`);
    if (isTrue(sensitive) || typeof key !== 'string') return { item, key };
    budget.characters(3 * key.length);
    return { item, key: key.toLowerCase() };
  });
  const sign = isTrue(reverse) ? -1 : 1;
  keyed.sort((a, b) => {
    budget.items(1);
    return sign * compareValues(a.key, b.key, budget);
  });
  return keyed.map(({ item }) => item);
}
