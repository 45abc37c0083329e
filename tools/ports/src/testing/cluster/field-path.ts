import { isDeepStrictEqual } from 'node:util';

/** A mutable JSON object. */
export type MutableJson = { [member: string]: unknown };

/**
 * A path in an object, with segments in the notation of managed fields: `f:<member>`, `k:<key
 * JSON>` (item of a keyed list), `v:<value JSON>` (item of a set).
 */
export type FieldPath = readonly string[];

/**
 * A path that can be owned, and its value. An item of a keyed list is itself such a path, without a
 * value.
 */
export interface OwnableField {
  readonly path: FieldPath;
  readonly value: unknown;
  readonly isItem: boolean;
}

const BY_NAME = [
  'containers',
  'initContainers',
  'ephemeralContainers',
  'volumes',
  'env',
  'imagePullSecrets',
  'secrets',
];
const KEYS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(BY_NAME.map((member) => [member, ['name']])),
  volumeMounts: ['mountPath'],
  volumeDevices: ['devicePath'],
  conditions: ['type'],
  ownerReferences: ['uid'],
  hostAliases: ['ip'],
  topologySpreadConstraints: ['topologyKey', 'whenUnsatisfiable'],
};
const KEY_DEFAULTS: Readonly<Record<string, string>> = { protocol: 'TCP' };
const SETS = new Set(['finalizers']);
const ATOMIC = new Set([
  'selector',
  'nodeSelector',
  'labelSelector',
  'podSelector',
  'namespaceSelector',
  'configMapKeyRef',
  'secretKeyRef',
  'fieldRef',
  'resourceFieldRef',
  'secretRef',
  'configMapRef',
  'roleRef',
  'scaleTargetRef',
]);

/** Whether a value is a JSON object, not a list or null. */
export function isTree(value: unknown): value is MutableJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A deep copy of a JSON value; many times faster than `structuredClone`. */
export function copyOf<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copyOf) as T;
  if (typeof value !== 'object' || value === null) return value;
  const copy: MutableJson = {};
  for (const name in value) copy[name] = copyOf(value[name]);
  return copy as T;
}

/** All paths in `value` that can be owned: leaves and items of keyed lists. */
export function fieldsOf(value: unknown, path: FieldPath = []): readonly OwnableField[] {
  const member = path.at(-1)?.slice(2) ?? '';
  if (isTree(value) && !ATOMIC.has(member) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([name, each]) =>
      each === undefined ? [] : fieldsOf(each, [...path, `f:${name}`]),
    );
  }
  if (Array.isArray(value) && value.length > 0) {
    if (SETS.has(member))
      return value.map((each: unknown) => ({
        path: [...path, `v:${JSON.stringify(each)}`],
        value: each,
        isItem: false,
      }));
    const keys = keysOf(path);
    if (keys !== undefined && value.every(isTree)) {
      return value.flatMap((item) => {
        const at = [...path, keySegment(item, keys)];
        return [{ path: at, value: undefined, isItem: true }, ...fieldsOf(item, at)];
      });
    }
  }
  return [{ path, value, isItem: false }];
}

/** The value at `path`; `undefined` if missing. */
export function valueAt(root: unknown, path: FieldPath): unknown {
  return path.reduce<unknown>((at, segment) => step(at, segment), root);
}

/** Sets `value` at `path`, and creates missing parents. */
export function putAt(root: MutableJson, path: FieldPath, value: unknown): void {
  let at: unknown = root;
  for (const [index, segment] of path.entries()) {
    const last = index === path.length - 1;
    const next = step(at, segment);
    if (isTree(at)) {
      const name = segment.slice(2);
      if (last) at[name] = value;
      else if (typeof next !== 'object' || next === null)
        at[name] = path[index + 1]?.startsWith('f:') ? {} : [];
    } else if (Array.isArray(at) && next === undefined) {
      at.push(segment.startsWith('k:') ? (JSON.parse(segment.slice(2)) as unknown) : value);
    }
    at = step(at, segment);
  }
}

/** Removes the value at `path`; empty parents remain. */
export function removeAt(root: MutableJson, path: FieldPath): void {
  const parent = valueAt(root, path.slice(0, -1));
  const segment = path.at(-1) as string;
  if (isTree(parent)) delete parent[segment.slice(2)];
  else if (Array.isArray(parent)) {
    const found = parent.findIndex((item) => matches(item, segment));
    if (found >= 0) parent.splice(found, 1);
  }
}

/** A path in the notation of API messages: `.spec.containers[name="x"].image`. */
export function fieldPathText(path: FieldPath): string {
  return path
    .map((segment) => {
      if (segment.startsWith('f:')) return `.${segment.slice(2)}`;
      if (segment.startsWith('v:')) return `[=${segment.slice(2)}]`;
      const keys = JSON.parse(segment.slice(2)) as MutableJson;
      return `[${Object.entries(keys)
        .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
        .join(',')}]`;
    })
    .join('');
}

function step(at: unknown, segment: string): unknown {
  if (isTree(at)) return at[segment.slice(2)];
  return Array.isArray(at) ? at.find((item) => matches(item, segment)) : undefined;
}

function matches(item: unknown, segment: string): boolean {
  if (segment.startsWith('v:')) return isDeepStrictEqual(item, JSON.parse(segment.slice(2)));
  const keys = JSON.parse(segment.slice(2)) as MutableJson;
  return (
    isTree(item) &&
    Object.entries(keys).every(([key, value]) => (item[key] ?? KEY_DEFAULTS[key]) === value)
  );
}

function keysOf(path: FieldPath): readonly string[] | undefined {
  const member = path.at(-1)?.slice(2) ?? '';
  if (member !== 'ports') return KEYS[member];
  if (path.at(-2)?.startsWith('k:')) return ['containerPort', 'protocol'];
  return path.length === 2 ? ['port', 'protocol'] : undefined;
}

function keySegment(item: MutableJson, keys: readonly string[]): string {
  return `k:${JSON.stringify(Object.fromEntries(keys.map((key) => [key, item[key] ?? KEY_DEFAULTS[key]])))}`;
}
