import type { CcpError, Json } from '#core';

/** A Kubernetes object as JSON; what it is, is in its own members. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [member: string]: Json | object | undefined;
}

/** An object as the API server holds it. `resourceVersion` changes with every write, `generation` (where the kind has one) with every change of what is asked for. */
export interface LiveObject extends KubernetesObject {
  readonly metadata: KubernetesObject['metadata'] & {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly generation?: number;
    readonly creationTimestamp: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
    readonly managedFields?: readonly ManagedFields[];
  };
}

/** The object that another one belongs to, and is deleted with. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** Which fields one manager owns, as `fieldsV1`: nested `f:<member>`, `k:<key JSON>`, `v:<value JSON>` and `.`. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: Readonly<Record<string, Json>>;
}

/** Names one kind of one version of an API group (`apps/v1`, `Deployment`). */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Names one object; no namespace for kinds of the whole cluster. */
export interface ObjectRef extends KindRef {
  readonly name: string;
  readonly namespace?: string;
}

/** A kind that the server knows, and how it is spelled in paths. */
export interface ClusterKind extends KindRef {
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** `gitVersion` as `v1.36.3`. */
export interface ClusterVersion {
  readonly major: number;
  readonly minor: number;
  readonly gitVersion: string;
}

/** Which objects of a kind: all namespaces without `namespace`; selectors in the API's own syntax (`a=b,c!=d,e in (f,g)`). */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Objects as they were at one version of the collection, from which a watch can go on. */
export interface ObjectList {
  readonly items: readonly LiveObject[];
  readonly resourceVersion: string;
}

/**
 * What a watch tells. `listed` replaces all that was known (first, and again after a gap that the server cannot bridge);
 * `lost` says that the server does not answer for now: the watch tries again by itself.
 */
export type WatchEvent =
  | { readonly type: 'listed'; readonly items: readonly LiveObject[] }
  | { readonly type: 'changed'; readonly object: LiveObject }
  | { readonly type: 'deleted'; readonly object: LiveObject }
  | { readonly type: 'lost'; readonly error: CcpError };

/** A field that another manager owns with another value; `field` as the API spells it (`.spec.replicas`). */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/** Why the server finds an object invalid; `field` as the API spells it (`spec.selector`), empty where it names none. */
export interface InvalidCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/** `stale`: the object names a uid or resourceVersion that is no longer the live one; after a lost answer, one's own write may have made it so. */
export type ApplyOutcome =
  | { readonly outcome: 'applied'; readonly object: LiveObject }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly FieldConflict[] }
  | { readonly outcome: 'invalid'; readonly message: string; readonly causes: readonly InvalidCause[] }
  | { readonly outcome: 'stale' };

/** `exists`: an object of that name was there and is left as it was. */
export type CreateOutcome = { readonly outcome: 'created'; readonly object: LiveObject } | { readonly outcome: 'exists' };

/** `stale`: the live object is of another resourceVersion than the one that was given. */
export type UpdateOutcome = { readonly outcome: 'updated'; readonly object: LiveObject } | { readonly outcome: 'stale' } | { readonly outcome: 'missing' };

/** `deleting`: it still exists, with a deletionTimestamp, until its finalizers or its pods are done. */
export type DeleteOutcome = { readonly outcome: 'gone' } | { readonly outcome: 'deleting' } | { readonly outcome: 'missing' } | { readonly outcome: 'stale' };

export interface ApplyOptions {
  readonly fieldManager: string;
  /** Takes conflicting fields over. */
  readonly force?: boolean;
  /** All checks and defaults of the server, nothing stored. */
  readonly dryRun?: boolean;
}

export interface DeleteOptions {
  /** Default `background`. */
  readonly propagation?: 'background' | 'foreground' | 'orphan';
  /** Seconds that pods get to end; the kind's default without. */
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface LogOptions {
  readonly container?: string;
  /** Last lines; default 100. */
  readonly tail?: number;
  /** The container's run before the present one. */
  readonly previous?: boolean;
}

/** What happened to an object, as the cluster's components tell it. Times are RFC 3339. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastSeen: string;
  /** Of a pod's event: the container that it is about. */
  readonly container?: string;
}

/**
 * A Kubernetes API server, seen by one user. Calls repeat by themselves what is safe to repeat (429 with Retry-After, dropped
 * connections, 5xx), a write that may have arrived included where repeating it is harmless.
 *
 * Raises CcpError with these codes: `cluster-unreachable` (no answer after all retries), `cluster-busy` (429 after all retries),
 * `cluster-failed` (answers 5xx, or not as an API server does), `cluster-untrusted` (its certificate), `cluster-denied` (401, 403),
 * `cluster-invalid` (400, 422 where it is no outcome), `cluster-missing` (404 of something around the object, as its namespace),
 * `cluster-kind-unknown`, `cluster-config` (the kubeconfig, or what it points to), `cancelled` (the signal given when connecting).
 */
export interface Cluster {
  /** For messages: the context's name, or the server's address. */
  readonly name: string;
  version(): Promise<ClusterVersion>;
  /** Every kind the server knows, in its preferred version first; asked once and kept. */
  kinds(): Promise<readonly ClusterKind[]>;
  get(ref: ObjectRef): Promise<LiveObject | undefined>;
  /** All of them, in pages inside; one consistent state of the cluster. With `metadataOnly` the server sends nothing else of them. */
  list(kind: KindRef, selection?: Selection & { readonly metadataOnly?: boolean }): Promise<ObjectList>;
  /** Until the iterator is returned from or `signal` aborts (then it ends without an error). */
  watch(kind: KindRef, selection?: Selection & { readonly signal?: AbortSignal }): AsyncIterable<WatchEvent>;
  /** Server-side apply: exactly the members of `object` become the manager's; members it had and no longer names are removed. */
  apply(object: KubernetesObject, options: ApplyOptions): Promise<ApplyOutcome>;
  create(object: KubernetesObject, options: { readonly fieldManager: string }): Promise<CreateOutcome>;
  /** Replaces the whole object if its `metadata.resourceVersion` is still the live one. */
  update(object: LiveObject, options: { readonly fieldManager: string }): Promise<UpdateOutcome>;
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<DeleteOutcome>;
  /** At most 1 MiB of a container's output; `undefined` where there is none (not started, or no run before). */
  logs(pod: { readonly namespace: string; readonly name: string }, options?: LogOptions): Promise<string | undefined>;
  /** Oldest first. */
  events(ref: ObjectRef): Promise<readonly ObjectEvent[]>;
}
