import type { LiveObject } from '#ports';
import { keyOf, type Home, type ObjectKey } from '#site';
import { withoutManagedFields } from '../live/without-managed-fields.ts';

/** Objects by key and by owner, so that a lookup does not scan thousands of pods. */
export interface OwnedObjects {
  get(key: ObjectKey): LiveObject | undefined;
  put(object: LiveObject): void;
  remove(object: LiveObject): void;
  /** Replaces all objects of a kind in a namespace. */
  replace(kind: string, namespace: string, items: readonly LiveObject[]): void;
  ownedBy(owner: LiveObject): readonly LiveObject[];
}

/** Starts empty. */
export function ownedObjects(home: Home): OwnedObjects {
  const byKey = new Map<ObjectKey, LiveObject>();
  const byOwner = new Map<string, Map<ObjectKey, LiveObject>>();
  const remove = (object: LiveObject): void => {
    const key = keyOf(object, home);
    for (const { uid } of byKey.get(key)?.metadata.ownerReferences ?? []) {
      const owned = byOwner.get(uid);
      owned?.delete(key);
      if (owned?.size === 0) byOwner.delete(uid);
    }
    byKey.delete(key);
  };
  const put = (received: LiveObject): void => {
    remove(received);
    const object = withoutManagedFields(received);
    const key = keyOf(object, home);
    byKey.set(key, object);
    for (const { uid } of object.metadata.ownerReferences ?? [])
      byOwner.set(uid, (byOwner.get(uid) ?? new Map<ObjectKey, LiveObject>()).set(key, object));
  };
  return {
    get: (key) => byKey.get(key),
    put,
    remove,
    replace: (kind, namespace, items) => {
      const isReplaced = (each: LiveObject): boolean =>
        each.kind === kind && (each.metadata.namespace ?? namespace) === namespace;
      for (const object of [...byKey.values()].filter(isReplaced)) remove(object);
      items.forEach(put);
    },
    ownedBy: ({ metadata }) => [...(byOwner.get(metadata.uid)?.values() ?? [])],
  };
}
