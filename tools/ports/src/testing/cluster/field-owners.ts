import type { Json } from '#core';
import type { ManagedFields } from '../../cluster.ts';
import type { FieldPath, MutableJson } from './field-path.ts';

/** Field paths of an object, by their joined segments. */
export type FieldSet = ReadonlyMap<string, FieldPath>;

/** The fields of one manager and operation. */
export interface Owner {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly fields: FieldSet;
}

/** A set of field paths. */
export function fieldSet(paths: Iterable<FieldPath>): FieldSet {
  return new Map([...paths].map((path) => [idOf(path), path]));
}

/** The key of a path in a `FieldSet`. */
export function idOf(path: FieldPath): string {
  return path.join('\0');
}

/** The paths in `fields` that are not in `taken`. */
export function fieldsWithout(fields: FieldSet, taken: FieldSet): FieldSet {
  return new Map([...fields].filter(([id]) => !taken.has(id)));
}

/** Whether both sets are equal. */
export function sameFields(left: FieldSet, right: FieldSet): boolean {
  return left.size === right.size && [...left.keys()].every((id) => right.has(id));
}

/** Whether `fields` contains `path` or a path inside it. */
export function ownsInside(fields: FieldSet, path: FieldPath): boolean {
  const id = idOf(path);
  return fields.has(id) || [...fields.keys()].some((each) => each.startsWith(`${id}\0`));
}

/** Parses `metadata.managedFields`. */
export function ownersIn(entries: readonly ManagedFields[]): readonly Owner[] {
  return entries.map(({ manager, operation, fieldsV1 = {} }) => ({
    manager,
    operation,
    fields: fieldSet(pathsIn(fieldsV1 as MutableJson, [])),
  }));
}

function pathsIn(tree: MutableJson, path: FieldPath): readonly FieldPath[] {
  const segments = Object.keys(tree);
  if (segments.length === 0) return [path];
  return segments.flatMap((segment) =>
    segment === '.' ? [path] : pathsIn(tree[segment] as MutableJson, [...path, segment]),
  );
}

/** An owner in the form of `metadata.managedFields`. */
export function managedFields(owner: Owner, apiVersion: string, time: string): ManagedFields {
  const root: MutableJson = {};
  for (const path of owner.fields.values()) {
    let at = root;
    for (const segment of path) at = (at[segment] ??= {}) as MutableJson;
    if (path.at(-1)?.startsWith('k:')) at['.'] = {};
  }
  return {
    manager: owner.manager,
    operation: owner.operation,
    apiVersion,
    time,
    fieldsType: 'FieldsV1',
    fieldsV1: root as Record<string, Json>,
  };
}
