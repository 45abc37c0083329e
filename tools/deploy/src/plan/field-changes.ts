import type { Json } from '#core';

/** One field that changes; `before` or `after` is absent where the field is. */
export interface FieldChange {
  /** `spec.template.spec.containers[api].image`: members by name, named list items by their name. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Members that the server writes; they say nothing about what was asked for. */
const SERVERS = new Set(['managedFields', 'resourceVersion', 'uid', 'generation', 'creationTimestamp', 'selfLink']);

/** What differs between an object as it is and as the server says it would be; by path. Status and server's metadata do not count. */
export function fieldChanges(before: object, after: object): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(meaningOf(before), meaningOf(after), '', changes);
  return changes;
}

/** An object without its status and what the server writes into metadata. */
function meaningOf(object: object): Json {
  const { status: _, metadata, ...rest } = object as { status?: Json; metadata?: Readonly<Record<string, Json>> } & Record<string, Json>;
  return { ...rest, metadata: Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !SERVERS.has(key))) };
}

function compare(before: Json | undefined, after: Json | undefined, path: string, changes: FieldChange[]): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    if (named(before) && named(after)) compareMaps(byName(before), byName(after), (key) => `${path}[${key}]`, changes);
    else if (JSON.stringify(before) !== JSON.stringify(after)) changes.push({ path, before, after });
    return;
  }
  if (isMap(before) && isMap(after)) {
    compareMaps(before, after, (key) => (path === '' ? key : /[./[\]]/.test(key) ? `${path}["${key}"]` : `${path}.${key}`), changes);
    return;
  }
  changes.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
}

function compareMaps(
  before: Readonly<Record<string, Json | undefined>>,
  after: Readonly<Record<string, Json | undefined>>,
  pathOf: (key: string) => string,
  changes: FieldChange[],
): void {
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) compare(before[key], after[key], pathOf(key), changes);
}

/** True for a list whose items all have a name of their own; two of one name make it a plain list. */
function named(list: readonly Json[]): boolean {
  const names = list.map((item) => (isMap(item) ? item['name'] : undefined));
  return list.length > 0 && names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function byName(list: readonly Json[]): Record<string, Json> {
  return Object.fromEntries(list.map((item) => [(item as { name: string }).name, item]));
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
