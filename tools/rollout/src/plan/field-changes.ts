import { canonicalJson, isRecord, type Json, omitUndefined } from '#core';

/** One field that changes. `before` or `after` is absent if the field is. */
export interface FieldChange {
  /**
   * `spec.template.spec.containers[api].image`: members by name, list items by their name, else by
   * their number.
   */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

/** Metadata that the server writes; it does not depend on the request. */
const SERVERS = new Set([
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'creationTimestamp',
  'selfLink',
]);

/**
 * The differences between a live object and the server's preview of it, by path. Status and server
 * metadata are ignored.
 */
export function fieldChanges(before: object, after: object): FieldChange[] {
  const changes: FieldChange[] = [];
  compare(meaningOf(before), meaningOf(after), '', changes);
  return changes;
}

/** An object without its status and the metadata that the server writes. */
function meaningOf(object: object): Json {
  const {
    status: _,
    metadata,
    ...rest
  } = object as { status?: Json; metadata?: Readonly<Record<string, Json>> } & Record<string, Json>;
  return {
    ...rest,
    metadata: Object.fromEntries(
      Object.entries(metadata ?? {}).filter(([key]) => !SERVERS.has(key)),
    ),
  };
}

function compare(
  before: Json | undefined,
  after: Json | undefined,
  path: string,
  changes: FieldChange[],
): void {
  if (before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    if (named(before) && named(after))
      compareMaps(byName(before), byName(after), (key) => `${path}[${key}]`, changes);
    else if (before.length === after.length && [...before, ...after].every(isRecord))
      before.forEach((item, index) => compare(item, after[index], `${path}[${index}]`, changes));
    else if (canonicalJson(before) !== canonicalJson(after)) changes.push({ path, before, after });
    return;
  }
  if (isRecord(before) && isRecord(after)) {
    compareMaps(before, after, (key) => memberPath(path, key), changes);
    return;
  }
  changes.push({
    path,
    ...omitUndefined({ before, after }),
  });
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
  for (const key of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort())
    compare(before[key], after[key], pathOf(key), changes);
}

/** True for a list whose items all have a name, each name once. */
function named(list: readonly Json[]): boolean {
  const names = list.map(nameOf);
  return (
    list.length > 0 &&
    names.every((name) => typeof name === 'string') &&
    new Set(names).size === names.length
  );
}

function byName(list: readonly Json[]): Record<string, Json> {
  return Object.fromEntries(list.map((item) => [nameOf(item), item]));
}

/** The name of an item, or its `metadata.name`, as in a claim template. */
function nameOf(item: Json): Json | undefined {
  if (!isRecord(item)) return undefined;
  const { name, metadata } = item;
  return name ?? (isRecord(metadata) ? metadata['name'] : undefined);
}
