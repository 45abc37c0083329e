import { canonicalJson, type Json } from '#core';

/** One field that changes; `before` or `after` is absent where the field is. */
export interface FieldChange {
  /** `spec.template.spec.containers[api].image`: members by name, list items by their name, else by their number. */
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
    else if (before.length === after.length && [...before, ...after].every(isMap))
      before.forEach((item, index) => compare(item, after[index], `${path}[${index}]`, changes));
    else if (canonicalJson(before) !== canonicalJson(after)) changes.push({ path, before, after });
    return;
  }
  if (isMap(before) && isMap(after)) {
    compareMaps(before, after, (key) => memberPath(path, key), changes);
    return;
  }
  changes.push({ path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) });
}

function memberPath(path: string, key: string): string {
  if (path === '') return key;
  return /[./[\]]/.test(key) ? `${path}["${key}"]` : `${path}.${key}`;
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
  const names = list.map(nameOf);
  return list.length > 0 && names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
}

function byName(list: readonly Json[]): Record<string, Json> {
  return Object.fromEntries(list.map((item) => [nameOf(item), item]));
}

/** An item's own name, or that of the object which it is, as of a claim's template. */
function nameOf(item: Json): Json | undefined {
  if (!isMap(item)) return undefined;
  const { name, metadata } = item;
  return name ?? (isMap(metadata) ? metadata['name'] : undefined);
}

function isMap(value: Json | undefined): value is { readonly [key: string]: Json | undefined } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
