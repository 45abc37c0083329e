import { CcpError } from '#core';
import type {
  ApplyOutcome,
  Cluster,
  ClusterKind,
  CreateOutcome,
  DeleteOutcome,
  KindRef,
  KubernetesObject,
  LiveObject,
  ObjectRef,
  UpdateOutcome,
} from '../../cluster.ts';
import type { FakeCluster, FakeClusterOptions } from './fake-cluster-options.ts';
import { isEventOf, objectEvent, byTime } from './fake-events.ts';
import { FAKE_KINDS } from './fake-kinds.ts';
import {
  isKind,
  isStale,
  asUpdate,
  withStatus,
  liveRefOf,
  namespaceRef,
  describeObject,
  logKey,
  lastLines,
} from './fake-objects.ts';
import { duplicatesIn, ruleFindings, withDefaults } from './fake-rules.ts';
import { ownersIn } from './field-owners.ts';
import { copyOf, type MutableJson } from './field-path.ts';
import { ObjectStore } from './object-store.ts';
import { isSelected } from './selectors.ts';
import { mergeApplied, mergeWritten, type OwnedObject } from './server-side-apply.ts';
import { watchStore } from './watch-store.ts';

/**
 * A cluster without a server, with the server-side apply, owners, versions and watches of one.
 */
export function fakeCluster({
  name = 'fake',
  now = () => new Date(),
  objects = [],
  like,
}: FakeClusterOptions = {}): FakeCluster {
  const store = new ObjectStore(now, like?.store);
  const writes: string[] = [];
  const logs = new Map<string, string>();
  const faults: {
    readonly verb: keyof Cluster;
    readonly error: CcpError;
    readonly when: 'before' | 'after';
  }[] = [];

  async function call<T>(verb: keyof Cluster, work: () => T): Promise<T> {
    const index = faults.findIndex((fault) => fault.verb === verb);
    const fault = index < 0 ? undefined : faults.splice(index, 1)[0];
    if (fault?.when === 'before') throw fault.error;
    const result = work();
    if (fault !== undefined) throw fault.error;
    return result;
  }

  function placed(object: KubernetesObject): {
    readonly ref: ObjectRef;
    readonly wanted: MutableJson;
  } {
    const { namespaced } = kindOf(object);
    const { namespace = 'default' } = object.metadata;
    const ref = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name: object.metadata.name,
      ...(namespaced ? { namespace } : {}),
    };
    if (namespaced && store.get(namespaceRef(namespace)) === undefined) {
      throw new CcpError({
        code: 'cluster-missing',
        message: `cannot write ${describeObject(ref)}: namespaces "${namespace}" not found`,
      });
    }
    return { ref, wanted: copyOf(object) as MutableJson };
  }

  function write(verb: string, ref: ObjectRef, next: OwnedObject): LiveObject {
    const before = store.resourceVersion;
    const live = store.put(ref, next);
    if (store.resourceVersion !== before) writes.push(`${verb} ${describeObject(ref)}`);
    finish(live);
    return live;
  }

  function checked(ref: ObjectRef, next: OwnedObject): void {
    const [first] = ruleFindings(ref, store.get(ref) as MutableJson | undefined, next.object);
    if (first !== undefined)
      throw new CcpError({
        code: 'cluster-invalid',
        message: `${describeObject(ref)} is invalid: ${first.field}: ${first.message}`,
      });
  }

  function finish(live: LiveObject): void {
    if (
      live.metadata.deletionTimestamp !== undefined &&
      (live.metadata.finalizers ?? []).length === 0
    )
      vanish(live);
  }

  function vanish(live: LiveObject): void {
    store.remove(liveRefOf(live));
    const { uid, name: own } = live.metadata;
    const inside = ({ metadata }: LiveObject) =>
      live.kind === 'Namespace' && metadata.namespace === own;
    const orphans = store
      .all()
      .filter(
        (each) => inside(each) || each.metadata.ownerReferences?.some((owner) => owner.uid === uid),
      );
    for (const each of orphans) remove(each);
  }

  function remove(live: LiveObject): DeleteOutcome {
    if ((live.metadata.finalizers ?? []).length === 0) {
      vanish(live);
      return { outcome: 'gone' };
    }
    const { object: before, owners } = store.owned(liveRefOf(live));
    const object = copyOf(before);
    (object['metadata'] as MutableJson)['deletionTimestamp'] ??= now().toISOString();
    store.put(liveRefOf(live), { object, owners });
    return { outcome: 'deleting' };
  }

  const cluster: FakeCluster = {
    name,
    store,
    writes,
    version: () => call('version', () => ({ major: 1, minor: 36, gitVersion: 'v1.36.3' })),
    kinds: () => call('kinds', () => FAKE_KINDS),
    get: (ref) => call('get', () => (kindOf(ref), copyOf(store.get(ref)))),
    list: (kind, selection = {}) =>
      call('list', () => {
        kindOf(kind);
        const items = store
          .all()
          .filter((each) => isKind(each, kind) && isSelected(each, selection));
        const sent =
          selection.metadataOnly === true
            ? items.map(({ apiVersion, kind: same, metadata }) => ({
                apiVersion,
                kind: same,
                metadata,
              }))
            : items;
        return { items: copyOf(sent), resourceVersion: String(store.resourceVersion) };
      }),
    watch: (kind, selection = {}) => {
      kindOf(kind);
      return watchStore(
        store,
        (each) => isKind(each, kind) && isSelected(each, selection),
        selection.signal,
      );
    },
    apply: (object, { fieldManager, force = false, dryRun = false }) =>
      call('apply', (): ApplyOutcome => {
        const { ref, wanted } = placed(object);
        const live = store.get(ref);
        if (isStale(object, live)) return { outcome: 'stale' };
        const merged = mergeApplied(store.owned(ref), wanted, fieldManager, force);
        if (merged.conflicts !== undefined)
          return { outcome: 'conflict', conflicts: merged.conflicts };
        const next = { ...merged, object: withDefaults(ref.kind, merged.object) };
        const causes = [
          ...duplicatesIn(wanted),
          ...ruleFindings(ref, live as MutableJson | undefined, next.object),
        ];
        if (causes.length > 0)
          return {
            outcome: 'invalid',
            message: causes.map((cause) => `${cause.field}: ${cause.message}`).join('; '),
            causes,
          };
        return {
          outcome: 'applied',
          object: copyOf(dryRun ? store.preview(ref, next).live : write('apply', ref, next)),
        };
      }),
    create: (object, { fieldManager }) =>
      call('create', (): CreateOutcome => {
        const { ref, wanted } = placed(object);
        if (store.get(ref) !== undefined) return { outcome: 'exists' };
        const next = mergeWritten(store.owned(ref), withDefaults(ref.kind, wanted), fieldManager);
        checked(ref, next);
        return { outcome: 'created', object: copyOf(write('create', ref, next)) };
      }),
    update: (object, { fieldManager, subresource }) =>
      call('update', (): UpdateOutcome => {
        const { ref, wanted } = placed(object);
        const live = store.get(ref);
        if (live === undefined) return { outcome: 'missing' };
        if (isStale(object, live)) return { outcome: 'stale' };
        const status = withStatus(store.owned(ref), wanted);
        if (subresource === 'status')
          return { outcome: 'updated', object: copyOf(write('status', ref, status)) };
        const { managedFields } = object.metadata;
        const { object: before, owners } = store.owned(ref);
        // Like in an API server, an update with managed fields sets them.
        const owned = {
          object: before,
          owners: (managedFields ?? []).length > 0 ? ownersIn(managedFields!) : owners,
        };
        const next = mergeWritten(owned, asUpdate(wanted, before), fieldManager);
        checked(ref, next);
        return { outcome: 'updated', object: copyOf(write('update', ref, next)) };
      }),
    delete: (ref, { preconditions = {} } = {}) =>
      call('delete', (): DeleteOutcome => {
        kindOf(ref);
        const live = store.get(ref);
        if (live !== undefined && isStale({ metadata: preconditions }, live))
          return { outcome: 'stale' };
        if (live === undefined) return { outcome: 'missing' };
        writes.push(`delete ${describeObject(ref)}`);
        return remove(live);
      }),
    logs: (pod, { container, previous = false, tail = 100 } = {}) =>
      call('logs', () => {
        const text =
          logs.get(logKey(pod, container, previous)) ?? logs.get(logKey(pod, undefined, previous));
        return text === undefined ? undefined : lastLines(text, tail);
      }),
    events: (ref) =>
      call('events', () =>
        store
          .all()
          .filter((each) => each.kind === 'Event' && isEventOf(each, ref))
          .map(objectEvent)
          .sort(byTime),
      ),
    edit: (ref, change, manager = 'kubectl-edit') => {
      const next = copyOf(store.owned(ref).object);
      change(next);
      const live = store.put(ref, mergeWritten(store.owned(ref), next, manager));
      finish(live);
      return live;
    },
    setStatus: (ref, status) =>
      store.put(ref, { ...store.owned(ref), object: { ...store.owned(ref).object, status } }),
    setLogs: (pod, text, { container, previous = false } = {}) =>
      void logs.set(logKey(pod, container, previous), text),
    addEvent: (ref, { lastSeen = now().toISOString(), container, ...event }) => {
      const { namespace = 'default' } = ref;
      const fieldPath =
        container === undefined ? {} : { fieldPath: `spec.containers{${container}}` };
      const involvedObject = {
        apiVersion: ref.apiVersion,
        kind: ref.kind,
        name: ref.name,
        namespace: ref.namespace,
        ...fieldPath,
      };
      const at = {
        apiVersion: 'v1',
        kind: 'Event',
        namespace,
        name: `${ref.name}.${store.resourceVersion}`,
      };
      store.put(at, {
        object: { type: 'Warning', count: 1, lastTimestamp: lastSeen, involvedObject, ...event },
        owners: [],
      });
    },
    failNext: (verb, error, when = 'before') => void faults.push({ verb, error, when }),
  };
  for (const each of ['default', 'kube-system'])
    store.put(namespaceRef(each), {
      object: { spec: { finalizers: [] }, status: { phase: 'Active' } },
      owners: [],
    });
  for (const object of objects) {
    const { ref, wanted } = placed(object);
    store.put(
      ref,
      mergeWritten(store.owned(ref), withDefaults(ref.kind, wanted), 'kubectl-create'),
    );
  }
  return cluster;
}

function kindOf({ apiVersion, kind }: KindRef): ClusterKind {
  const found = FAKE_KINDS.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  if (found === undefined)
    throw new CcpError({
      code: 'cluster-kind-unknown',
      message: `the cluster does not have the kind ${kind} in ${apiVersion}`,
    });
  return found;
}
