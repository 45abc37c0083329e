import { isDeepStrictEqual } from 'node:util';
import type { FieldConflict } from '../../cluster.ts';
import {
  fieldSet,
  idOf,
  ownsInside,
  sameFields,
  fieldsWithout,
  type FieldSet,
  type Owner,
} from './field-owners.ts';
import {
  copyOf,
  fieldsOf,
  putAt,
  removeAt,
  fieldPathText,
  valueAt,
  type OwnableField,
  type FieldPath,
  type MutableJson,
} from './field-path.ts';

/** An object without its managed fields, and the owners of its fields. */
export interface OwnedObject {
  readonly object: MutableJson;
  readonly owners: readonly Owner[];
}

export type MergedObject =
  { readonly conflicts: readonly FieldConflict[] } | (OwnedObject & { readonly conflicts?: never });

/**
 * Result of applying `wanted` to `live` as `manager`, by the rules of server-side apply: conflicts,
 * ownership, and removal of fields that are no longer set.
 */
export function mergeApplied(
  live: OwnedObject,
  wanted: MutableJson,
  manager: string,
  force: boolean,
): MergedObject {
  const fields = ownable(wanted);
  const mine = fieldSet(fields.map(({ path }) => path));
  const before = live.owners.find(
    (owner) => owner.manager === manager && owner.operation === 'Apply',
  );
  const others = live.owners.filter((owner) => owner !== before);
  const differing = fields.filter(
    ({ path, value, isItem }) => !isItem && !isDeepStrictEqual(valueAt(live.object, path), value),
  );
  const conflicts = others.flatMap((owner) =>
    differing
      .filter(({ path }) => owner.fields.has(idOf(path)))
      .map(({ path }) => ({ manager: owner.manager, field: fieldPathText(path) })),
  );
  if (conflicts.length > 0 && !force) return { conflicts };
  const taken = fieldSet(differing.map(({ path }) => path));
  const left = others.map((owner) => ({ ...owner, fields: fieldsWithout(owner.fields, taken) }));
  const object = copyOf(live.object);
  for (const path of dropped(before?.fields ?? new Map(), mine, left)) removeAt(object, path);
  for (const { path, value, isItem } of fields) if (!isItem) putAt(object, path, copyOf(value));
  return {
    object,
    owners: [
      ...left.filter(({ fields: owned }) => owned.size > 0),
      { manager, operation: 'Apply', fields: mine },
    ],
  };
}

/**
 * Owners after `manager` writes `next` over `live` without apply: it owns changed fields; removed
 * fields have no owner.
 */
export function mergeWritten(live: OwnedObject, next: MutableJson, manager: string): OwnedObject {
  const fields = ownable(next);
  const present = fieldSet(fields.map(({ path }) => path));
  const changed = fieldSet(
    fields
      .filter(({ path, value, isItem }) => isChanged(live.object, path, value, isItem))
      .map(({ path }) => path),
  );
  const isMine = (owner: Owner) => owner.manager === manager && owner.operation === 'Update';
  const kept = live.owners.map((owner) => ({
    ...owner,
    fields: new Map(
      [...owner.fields].filter(([id]) => present.has(id) && (isMine(owner) || !changed.has(id))),
    ) as FieldSet,
  }));
  const mine = new Map([...(kept.find(isMine)?.fields ?? []), ...changed]);
  const owners = [
    ...kept.filter((owner) => !isMine(owner)),
    { manager, operation: 'Update' as const, fields: mine },
  ];
  return { object: next, owners: owners.filter((owner) => owner.fields.size > 0) };
}

/** Whether object and owners are equal. */
export function isSame(left: OwnedObject, right: OwnedObject): boolean {
  const find = (owner: Owner) =>
    right.owners.find(
      (each) => each.manager === owner.manager && each.operation === owner.operation,
    );
  return (
    isDeepStrictEqual(left.object, right.object) &&
    left.owners.length === right.owners.length &&
    left.owners.every((owner) => sameFields(owner.fields, find(owner)?.fields ?? new Map()))
  );
}

function ownable(object: MutableJson): readonly OwnableField[] {
  const { apiVersion: _, kind: __, status: ___, metadata, ...rest } = object;
  const { labels, annotations, finalizers, ownerReferences } = (metadata ?? {}) as MutableJson;
  const about = Object.fromEntries(
    Object.entries({ labels, annotations, finalizers, ownerReferences }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  return fieldsOf({ ...rest, ...(Object.keys(about).length > 0 ? { metadata: about } : {}) });
}

function isChanged(live: MutableJson, path: FieldPath, value: unknown, isItem: boolean): boolean {
  const old = valueAt(live, path);
  return isItem ? old === undefined : !isDeepStrictEqual(old, value);
}

function dropped(before: FieldSet, mine: FieldSet, others: readonly Owner[]): readonly FieldPath[] {
  return [...fieldsWithout(before, mine).values()]
    .filter(
      (path) =>
        !isKey(path) &&
        !ownsInside(mine, path) &&
        !others.some((owner) => ownsInside(owner.fields, path)),
    )
    .sort((left, right) => left.length - right.length);
}

function isKey(path: FieldPath): boolean {
  const [item = '', member = ''] = path.slice(-2);
  return item.startsWith('k:') && member.slice(2) in (JSON.parse(item.slice(2)) as MutableJson);
}
