import type { Condition, LiveObject } from '#ports';

/** The image set of a resource: an OCI artifact in a registry. */
export interface SetReference {
  /** `HOST[:PORT]/PATH` of the release registry. */
  readonly registry: string;
  /** Digest of the set's manifest. */
  readonly digest: string;
  /** Public keys in PEM; one of them must have signed the set. */
  readonly keys?: readonly string[];
}

/** Where the site.yaml of a resource is; exactly one member is set. */
export interface SiteReference {
  /** The text of a site.yaml. */
  readonly inline?: string;
  /** A ConfigMap in the resource's namespace. */
  readonly configMap?: { readonly name: string; readonly key?: string };
  /** `HOST[:PORT]/PATH@sha256:...`: an artifact whose first layer is a site.yaml. */
  readonly artifact?: string;
}

/** A weekly time in UTC in which a site may be upgraded. */
export interface MaintenanceWindow {
  /** Every day if absent. */
  readonly days?: readonly string[];
  /** `HH:MM` in UTC. */
  readonly start: string;
  /** Like `4h`. */
  readonly duration: string;
}

/** The spec of both kinds; `app` is only set in an OpenStackService. */
export interface ReleaseSpec {
  readonly set: SetReference;
  readonly site: SiteReference;
  readonly approve?: 'plan' | 'auto';
  readonly approvedPlan?: string;
  readonly paused?: boolean;
  readonly contract?: 'manual' | 'after';
  readonly contractAfter?: string;
  readonly rollback?: 'never' | 'onFailure';
  readonly drift?: 'repair' | 'show';
  readonly maintenance?: readonly MaintenanceWindow[];
  readonly app?: string;
}

/** A condition with the time of its last change. */
export interface TimedCondition extends Condition {
  readonly lastTransitionTime: string;
}

/** The state of one instance. */
export interface ServiceState {
  readonly name: string;
  /** The worst state of its steps. */
  readonly state: string;
  readonly reason?: string;
  /** `migrated`: old code may still run; `contracted`: a rollback is impossible. */
  readonly schema?: 'pending' | 'migrated' | 'contracted';
}

/** The condition Ready of an OpenStackService in the namespace of an OpenStackRelease. */
export interface ChildState {
  readonly name: string;
  readonly app: string;
  readonly ready: Condition['status'];
  /** `NotSeen` until the operator has seen its spec. */
  readonly reason: string;
  /** Absent if it is ready. */
  readonly message?: string;
}

/** The first failure of a revision; at most 2 KiB. */
export interface LastFailure {
  readonly revision: number;
  readonly object?: string;
  readonly reason: string;
  readonly container?: string;
  readonly exitCode?: number;
  readonly lastLine?: string;
}

/** The status of both kinds. */
export interface ReleaseStatus {
  readonly observedGeneration?: number;
  readonly conditions?: readonly TimedCondition[];
  /** The applied revision. */
  readonly revision?: number;
  /** Digest of the set in the spec, once it has been read. */
  readonly set?: string;
  /** The plan that waits for approval, a window, or a retry. */
  readonly plan?: { readonly hash: string; readonly summary: string };
  readonly services?: readonly ServiceState[];
  /** The OpenStackServices in the namespace of an OpenStackRelease. */
  readonly children?: readonly ChildState[];
  readonly rollback?: {
    readonly allowed: boolean;
    readonly to?: number;
    readonly reason?: string;
  };
  readonly lastFailure?: LastFailure;
  /** RFC 3339. */
  readonly nextMaintenance?: string;
}

/** A resource of either kind. */
export type ManagedResource = LiveObject & {
  readonly spec: ReleaseSpec;
  readonly status?: ReleaseStatus;
};
