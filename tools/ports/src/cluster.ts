import type { CcpError, Json } from '#core';

/** A Kubernetes object as JSON. */
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

/**
 * An object in the API server. `resourceVersion` changes with every write, `generation` (if the
 * kind has one) with every change of the desired state.
 */
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

/** The owner of an object: deleting it deletes the object. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/**
 * Which fields one manager owns, as `fieldsV1`: nested `f:<member>`, `k:<key JSON>`, `v:<value
 * JSON>` and `.`.
 */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: Readonly<Record<string, Json>>;
}

/** A kind in a version of an API group (`apps/v1`, `Deployment`). */
export interface KindRef {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Identifies an object; cluster-scoped kinds have no namespace. */
export interface ObjectRef extends KindRef {
  readonly name: string;
  readonly namespace?: string;
}

/** A kind that the server supports, and its plural name in paths. */
export interface ClusterKind extends KindRef {
  readonly plural: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** Version of the API server; `gitVersion` is such as `v1.36.3`. */
export interface ClusterVersion {
  readonly major: number;
  readonly minor: number;
  readonly gitVersion: string;
}

/**
 * Selects objects of a kind: without `namespace`, in all namespaces. Selectors have the API's
 * syntax (`a=b,c!=d,e in (f,g)`).
 */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Objects at one version of the collection, from which a watch can continue. */
export interface ObjectList {
  readonly items: readonly LiveObject[];
  readonly resourceVersion: string;
}

/**
 * An event of a watch. `listed` replaces the whole known state: it is the first event, and is
 * repeated if the server no longer has the changes since the last one. `lost` reports that the
 * server does not respond; the watch retries.
 */
export type WatchEvent =
  | { readonly type: 'listed'; readonly items: readonly LiveObject[] }
  | { readonly type: 'changed'; readonly object: LiveObject }
  | { readonly type: 'deleted'; readonly object: LiveObject }
  | { readonly type: 'lost'; readonly error: CcpError };

/**
 * A field that another manager owns with another value; `field` is in the API's notation
 * (`.spec.replicas`).
 */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/**
 * Why the server rejects an object; `field` is in the API's notation (`spec.selector`), empty if
 * unknown.
 */
export interface InvalidCause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

/**
 * `stale`: the object's uid or resourceVersion is not the live one. After a lost response, the
 * caller's own write may be the reason.
 */
export type ApplyOutcome =
  | { readonly outcome: 'applied'; readonly object: LiveObject }
  | { readonly outcome: 'conflict'; readonly conflicts: readonly FieldConflict[] }
  | {
      readonly outcome: 'invalid';
      readonly message: string;
      readonly causes: readonly InvalidCause[];
    }
  | { readonly outcome: 'stale' };

/** `exists`: an object with that name existed and was not changed. */
export type CreateOutcome =
  { readonly outcome: 'created'; readonly object: LiveObject } | { readonly outcome: 'exists' };

/** `stale`: the live object has another resourceVersion than the given one. */
export type UpdateOutcome =
  | { readonly outcome: 'updated'; readonly object: LiveObject }
  | { readonly outcome: 'stale' }
  | { readonly outcome: 'missing' };

/**
 * `deleting`: the object has a deletionTimestamp and exists until its finalizers or pods are done.
 */
export type DeleteOutcome =
  | { readonly outcome: 'gone' }
  | { readonly outcome: 'deleting' }
  | { readonly outcome: 'missing' }
  | { readonly outcome: 'stale' };

export interface ObjectApplyOptions {
  readonly fieldManager: string;
  /** Takes ownership of conflicting fields. */
  readonly force?: boolean;
  /** Runs all checks and defaults of the server, and stores nothing. */
  readonly dryRun?: boolean;
}

export interface UpdateOptions {
  readonly fieldManager: string;
  /** Replaces only the status, of a kind whose status is a subresource. */
  readonly subresource?: 'status';
}

export interface DeleteOptions {
  /** Default `background`. */
  readonly propagation?: 'background' | 'foreground' | 'orphan';
  /** Seconds that pods have to terminate; default: that of the kind. */
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface LogOptions {
  readonly container?: string;
  /** Number of last lines; default 100. */
  readonly tail?: number;
  /** Reads the container's previous instance. */
  readonly previous?: boolean;
}

/** An event of an object, reported by a component of the cluster. Times are RFC 3339. */
export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  readonly lastSeen: string;
  /** The container that a pod's event concerns. */
  readonly container?: string;
}

/** Input and output of a program in a pod. */
export interface ExecStreams {
  /** Its program must know where the input ends. */
  readonly input?: AsyncIterable<Uint8Array>;
  readonly output?: (part: Uint8Array) => Promise<void> | void;
  /** Ends the connection; the program in the pod may go on. */
  readonly signal?: AbortSignal;
}

/**
 * Runs a program in a running pod; resolves when it has succeeded. Throws `cluster-failed` with its
 * error output, `cancelled`, and the errors of a `Cluster`.
 */
export type PodExec = (
  pod: { readonly namespace: string; readonly name: string },
  command: readonly string[],
  streams?: ExecStreams,
) => Promise<void>;

/**
 * A Kubernetes API server with the permissions of one user. Calls are retried if a retry is safe:
 * on 429 with Retry-After, lost connections and 5xx. This includes writes that may have succeeded,
 * if repeating them is harmless.
 *
 * Throws CcpError with these codes: `cluster-unreachable` (no response after all retries),
 * `cluster-busy` (429 after all retries), `cluster-failed` (5xx or an invalid response),
 * `cluster-untrusted` (its certificate), `cluster-denied` (401, 403), `cluster-invalid` (400, 422
 * unless it is an outcome), `cluster-missing` (404 of a related object such as the namespace),
 * `cluster-kind-unknown`, `cluster-config` (the kubeconfig or a file it refers to), `cancelled`
 * (the signal given when connecting).
 */
export interface Cluster {
  /** Name in messages: the context's name or the server's address. */
  readonly name: string;
  version(): Promise<ClusterVersion>;
  /** All kinds of the server, the preferred version first. Requested once and cached. */
  kinds(): Promise<readonly ClusterKind[]>;
  get(ref: ObjectRef): Promise<LiveObject | undefined>;
  /**
   * All objects at one resource version, read in pages. With `metadataOnly` the server sends only
   * their metadata.
   */
  list(
    kind: KindRef,
    selection?: Selection & { readonly metadataOnly?: boolean },
  ): Promise<ObjectList>;
  /** Runs until the iterator is closed or `signal` aborts; then it finishes without an error. */
  watch(
    kind: KindRef,
    selection?: Selection & { readonly signal?: AbortSignal },
  ): AsyncIterable<WatchEvent>;
  /**
   * Server-side apply: the manager owns exactly the fields in `object`. Fields that it owned before
   * and that are missing now are removed.
   */
  apply(object: KubernetesObject, options: ObjectApplyOptions): Promise<ApplyOutcome>;
  create(
    object: KubernetesObject,
    options: { readonly fieldManager: string },
  ): Promise<CreateOutcome>;
  /**
   * Replaces the whole object, without its status, if its `metadata.resourceVersion` is the live
   * one.
   */
  update(object: LiveObject, options: UpdateOptions): Promise<UpdateOutcome>;
  delete(ref: ObjectRef, options?: DeleteOptions): Promise<DeleteOutcome>;
  /** At most 1 MiB of a container's output; `undefined` if the instance does not exist. */
  logs(
    pod: { readonly namespace: string; readonly name: string },
    options?: LogOptions,
  ): Promise<string | undefined>;
  /** Events of an object, oldest first. */
  events(ref: ObjectRef): Promise<readonly ObjectEvent[]>;
}
