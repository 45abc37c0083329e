import { omitUndefined } from '#core';
import type { KubernetesObject, LiveObject, ManagedFields } from '#ports';
import { FIELD_MANAGER } from '#site';

/**
 * A field or list item of a site's object that another manager has added and the site does not set.
 */
export interface AddedField {
  readonly manager: string;
  /** As the API server writes it: `.spec.template.spec.containers[name="api"].env[name="FOO"]`. */
  readonly field: string;
  /** Time of that manager's last write. */
  readonly time?: string;
}

type Fields = NonNullable<ManagedFields['fieldsV1']>;

/** Places in `fieldsV1`, from the outside in: `f:<member>`, `k:<key JSON>`, `v:<value JSON>`. */
type Segments = readonly string[];

/** Components of Kubernetes and its add-ons: their writes are expected. */
const CONTROLLERS =
  /^(kube-|kubelet$|cert-manager|keda)|(controller|controller-manager|autoscaler|scheduler|provisioner)$/;

/**
 * Annotations in which tools and controllers keep notes, and metadata that belongs to controllers.
 */
const NOTES =
  /^\.metadata\.(finalizers|ownerReferences|annotations\.((kubectl|deployment|pv|volume|volume\.beta)\.kubernetes\.io|kubernetes\.io|cert-manager\.io)\/)/;

const RESTARTED = '.spec.template.metadata.annotations.kubectl.kubernetes.io/restartedAt';

/**
 * Fields that other managers have added to an object, by its managed fields. Writes of controllers,
 * the status and the number of replicas are left out. A namespace is shared, and a Job's fields
 * never change.
 */
export function addedFields(object: LiveObject, rendered: KubernetesObject): AddedField[] {
  const { kind, metadata } = object;
  if (kind === 'Namespace' || kind === 'Job') return [];
  const entries = metadata.managedFields ?? [];
  const ours = entries.filter(isOurs).map(({ fieldsV1 = {} }) => fieldsV1);
  return entries
    .filter(
      (entry) =>
        !isOurs(entry) && entry.subresource === undefined && !CONTROLLERS.test(entry.manager),
    )
    .flatMap(({ manager, time, fieldsV1 = {} }) =>
      beyond(fieldsV1, ours, [])
        .filter((path) => isThere(object, path) && !isThere(rendered, path))
        .map((path) => ({ manager, field: spell(path), ...omitUndefined({ time }) })),
    )
    .filter(({ field }) => !NOTES.test(field) && field !== '.spec.replicas');
}

/** Whether a field only records a restart of the pods. */
export function isRestart({ field }: AddedField): boolean {
  return field === RESTARTED;
}

/**
 * The object with ccp as the owner of `fields`, as `addedFields` writes them: an apply that does
 * not set them then removes them in the same write. Its content is unchanged.
 */
export function withOwnership(
  object: LiveObject,
  fields: ReadonlySet<string>,
  now: string,
): LiveObject {
  const entries = object.metadata.managedFields ?? [];
  let taken: Fields =
    entries.find((entry) => isOurs(entry) && entry.operation === 'Apply')?.fieldsV1 ?? {};
  const others = entries
    .filter((entry) => !(isOurs(entry) && entry.operation === 'Apply'))
    .flatMap((entry) => {
      const [left, moved] = split(entry.fieldsV1 ?? {}, fields, []);
      if (moved !== undefined) taken = joined(taken, moved);
      return left === undefined ? [] : [{ ...entry, fieldsV1: left }];
    });
  const ours: ManagedFields = {
    manager: FIELD_MANAGER,
    operation: 'Apply',
    apiVersion: object.apiVersion,
    time: now,
    fieldsType: 'FieldsV1',
    fieldsV1: taken,
  };
  return { ...object, metadata: { ...object.metadata, managedFields: [...others, ours] } };
}

function isOurs({ manager }: ManagedFields): boolean {
  return manager === FIELD_MANAGER;
}

/** Outermost list items and fields that are in `fields` and in none of `ours`. */
function beyond(fields: Fields, ours: readonly Fields[], path: Segments): Segments[] {
  return Object.entries(fields).flatMap(([segment, below]) => {
    if (segment === '.') return [];
    const same = ours.flatMap((each) =>
      Object.hasOwn(each, segment) ? [each[segment] as Fields] : [],
    );
    const here = [...path, segment];
    if (same.length > 0) return same.some(isLeaf) ? [] : beyond(below as Fields, same, here);
    return !segment.startsWith('f:') || isLeaf(below as Fields)
      ? [here]
      : beyond(below as Fields, [], here);
  });
}

/** The remaining and the moved part of `fields`; `undefined` for an empty part. */
function split(
  fields: Fields,
  moved: ReadonlySet<string>,
  path: Segments,
): [Fields | undefined, Fields | undefined] {
  if (path.length > 0 && moved.has(spell(path))) return [undefined, fields];
  if (isLeaf(fields)) return [fields, undefined];
  const parts = Object.entries(fields).map(
    ([segment, below]) => [segment, ...split(below as Fields, moved, [...path, segment])] as const,
  );
  const side = (index: 1 | 2): Fields | undefined => {
    const found = parts.flatMap((part) =>
      part[index] === undefined ? [] : [[part[0], part[index]] as const],
    );
    return found.length === 0 ? undefined : Object.fromEntries(found);
  };
  return [side(1), side(2)];
}

function joined(left: Fields, right: Fields): Fields {
  const both = Object.entries(right).map(([segment, below]) => [
    segment,
    Object.hasOwn(left, segment) ? joined(left[segment] as Fields, below as Fields) : below,
  ]);
  return { ...left, ...Object.fromEntries(both) } as Fields;
}

/** Whether an object has a value at a path; an empty map or list is not a value. */
function isThere(object: object, path: Segments): boolean {
  const value = path.reduce<unknown>((at, segment) => {
    if (segment.startsWith('f:'))
      return (at as Readonly<Record<string, unknown>> | undefined)?.[segment.slice(2)];
    if (!Array.isArray(at)) return undefined;
    const named = JSON.parse(segment.slice(2)) as Readonly<Record<string, unknown>>;
    // Key members that an item does not have are server defaults.
    return segment.startsWith('k:')
      ? at.find((item: Record<string, unknown>) =>
          Object.keys(named).every((key) => (item[key] ?? named[key]) === named[key]),
        )
      : named;
  }, object);
  return (
    value !== undefined &&
    (typeof value !== 'object' || value === null || Object.keys(value).length > 0)
  );
}

function isLeaf(fields: Fields): boolean {
  return Object.keys(fields).length === 0;
}

function spell(path: Segments): string {
  return path
    .map((segment) => {
      const rest = segment.slice(2);
      if (segment.startsWith('f:')) return `.${rest}`;
      if (!segment.startsWith('k:')) return `[=${rest}]`;
      const keys = Object.entries(JSON.parse(rest) as Readonly<Record<string, unknown>>);
      return `[${keys.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(',')}]`;
    })
    .join('');
}
