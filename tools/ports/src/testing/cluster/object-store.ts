import { omitUndefined } from '#core';
import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { LiveObject, ObjectRef } from '../../cluster.ts';
import { managedFields } from './field-owners.ts';
import { copyOf, type MutableJson } from './field-path.ts';
import { hasGeneration } from './fake-kinds.ts';
import { isSame, type OwnedObject } from './server-side-apply.ts';

/** A change that a watch reports. */
export interface WatchChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resourceVersion: number;
  readonly object: LiveObject;
  /** The object before the change. */
  readonly before: LiveObject | undefined;
}

/**
 * The type of a change within a selection: an object that enters the selection is added, one that
 * leaves it is deleted. `undefined` for changes outside it.
 */
export function changeWithin(
  { type, object, before }: WatchChange,
  isSeen: (object: LiveObject) => boolean,
): WatchChange['type'] | undefined {
  const was = before !== undefined && isSeen(before);
  const is = type !== 'DELETED' && isSeen(object);
  if (was) return is ? 'MODIFIED' : 'DELETED';
  return is ? 'ADDED' : undefined;
}

/** The data of an API server: objects with versions and field owners, and all changes in order. */
export class ObjectStore {
  readonly #records: Map<string, { readonly owned: OwnedObject; readonly live: LiveObject }>;
  readonly #listeners = new Set<(change: WatchChange) => void>();
  readonly #now: () => Date;
  #changes: WatchChange[] = [];
  #forgotten: number;
  resourceVersion: number;

  /** Starts with the objects of `like`, without its changes. */
  constructor(now: () => Date, like?: ObjectStore) {
    this.#now = now;
    this.#records = new Map(like === undefined ? [] : like.#records);
    this.#forgotten = like?.resourceVersion ?? 0;
    this.resourceVersion = like?.resourceVersion ?? 1;
  }

  get(ref: ObjectRef): LiveObject | undefined {
    return this.#records.get(keyOf(ref))?.live;
  }

  owned(ref: ObjectRef): OwnedObject {
    return this.#records.get(keyOf(ref))?.owned ?? { object: {}, owners: [] };
  }

  /** All objects, sorted by kind, namespace and name. */
  all(): readonly LiveObject[] {
    return [...this.#records.keys()]
      .sort()
      .map((key) => (this.#records.get(key) as { readonly live: LiveObject }).live);
  }

  /** The object that `put` would store; `changed` is false if nothing would change. */
  preview(
    ref: ObjectRef,
    next: OwnedObject,
  ): { readonly live: LiveObject; readonly owned: OwnedObject; readonly changed: boolean } {
    const record = this.#records.get(keyOf(ref));
    if (record !== undefined && isSame(record.owned, next)) return { ...record, changed: false };
    const owned = { ...next, object: this.#stamp(ref, next.object, record?.owned.object) };
    const time = this.#time();
    const entries = owned.owners.map((owner) => managedFields(owner, ref.apiVersion, time));
    const live = copyOf({
      ...owned.object,
      metadata: { ...(owned.object['metadata'] as MutableJson), managedFields: entries },
    });
    return { live: live as unknown as LiveObject, owned, changed: true };
  }

  /** Stores `next` under `ref` and notifies the listeners, unless nothing changes. */
  put(ref: ObjectRef, next: OwnedObject): LiveObject {
    const { live, owned, changed } = this.preview(ref, next);
    if (!changed) return live;
    const before = this.get(ref);
    const { metadata } = live;
    this.resourceVersion += 1;
    const resourceVersion = String(this.resourceVersion);
    const stored = { ...live, metadata: { ...metadata, resourceVersion } };
    this.#records.set(keyOf(ref), {
      owned: {
        ...owned,
        object: {
          ...owned.object,
          metadata: { ...(owned.object['metadata'] as MutableJson), resourceVersion },
        },
      },
      live: stored,
    });
    this.#notify(before === undefined ? 'ADDED' : 'MODIFIED', stored, before);
    return stored;
  }

  remove(ref: ObjectRef): void {
    const record = this.#records.get(keyOf(ref));
    if (record === undefined) return;
    this.#records.delete(keyOf(ref));
    this.resourceVersion += 1;
    const { live } = record;
    this.#notify(
      'DELETED',
      { ...live, metadata: { ...live.metadata, resourceVersion: String(this.resourceVersion) } },
      live,
    );
  }

  /** All changes after a version; `undefined` if some of them were dropped. */
  changesSince(resourceVersion: number): readonly WatchChange[] | undefined {
    return resourceVersion < this.#forgotten
      ? undefined
      : this.#changes.filter((change) => change.resourceVersion > resourceVersion);
  }

  /** Drops all changes so far, as an API server does after some minutes. */
  forget(): void {
    this.#forgotten = this.resourceVersion;
    this.#changes = [];
  }

  /** Calls `listener` after every change until the returned function is called. */
  listen(listener: (change: WatchChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #notify(type: WatchChange['type'], object: LiveObject, before: LiveObject | undefined): void {
    const change = { type, resourceVersion: this.resourceVersion, object, before };
    this.#changes.push(change);
    for (const listener of [...this.#listeners]) listener(change);
  }

  #stamp(ref: ObjectRef, next: MutableJson, old: MutableJson | undefined): MutableJson {
    const was = (old?.['metadata'] ?? {}) as MutableJson;
    const { uid, creationTimestamp, generation, resourceVersion, deletionTimestamp, ...metadata } =
      (next['metadata'] ?? {}) as MutableJson;
    const fresh = old === undefined;
    const bumped = fresh || !isDeepStrictEqual(desiredState(old), desiredState(next));
    return {
      ...next,
      apiVersion: ref.apiVersion,
      kind: ref.kind,
      metadata: {
        ...metadata,
        name: ref.name,
        ...omitUndefined({ namespace: ref.namespace }),
        uid: fresh ? randomUUID() : was['uid'],
        resourceVersion: fresh ? '' : was['resourceVersion'],
        creationTimestamp: fresh ? this.#time() : was['creationTimestamp'],
        ...(hasGeneration(ref.kind)
          ? { generation: ((was['generation'] as number | undefined) ?? 0) + (bumped ? 1 : 0) }
          : {}),
        ...omitUndefined({ deletionTimestamp }),
      },
    };
  }

  #time(): string {
    return this.#now()
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
  }
}

function desiredState({ metadata, status: _, ...rest }: MutableJson): unknown {
  return [rest, ((metadata ?? {}) as MutableJson)['deletionTimestamp']];
}

function keyOf({ apiVersion, kind, namespace, name }: ObjectRef): string {
  return [apiVersion, kind, namespace ?? '', name].join('\0');
}
