import type { KubernetesObject } from './cluster.ts';

/** A condition in the status of an object. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  /** The generation of the object that the condition is about. */
  readonly observedGeneration?: number;
}

/** The request of a claim. */
export interface ClaimSpec {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly resources?: { readonly requests?: { readonly storage?: string } };
}

/** A template of a StatefulSet's claims. */
export interface ClaimTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: ClaimSpec;
}

type Texts = Readonly<Record<string, string>>;

interface Conditions {
  readonly conditions?: readonly Condition[];
}

interface Observed extends Conditions {
  readonly observedGeneration?: number;
}

/** A parent Gateway of an HTTPRoute. */
interface ParentRef {
  readonly name: string;
  readonly namespace?: string;
  readonly sectionName?: string;
}

/** The fields that ccp reads, by kind. The API has more. */
interface KubernetesKinds {
  readonly ConfigMap: {
    readonly data?: Texts;
    readonly binaryData?: Texts;
    readonly immutable?: boolean;
  };
  readonly Deployment: {
    readonly spec: { readonly replicas?: number };
    readonly status?: Observed & {
      readonly replicas?: number;
      readonly updatedReplicas?: number;
      readonly availableReplicas?: number;
    };
  };
  readonly StatefulSet: {
    readonly spec: {
      readonly replicas?: number;
      readonly volumeClaimTemplates?: readonly ClaimTemplate[];
    };
    readonly status?: Observed & {
      readonly replicas?: number;
      readonly updatedReplicas?: number;
      readonly readyReplicas?: number;
      readonly currentRevision?: string;
      readonly updateRevision?: string;
    };
  };
  readonly DaemonSet: {
    readonly status?: Observed & {
      readonly currentNumberScheduled?: number;
      readonly desiredNumberScheduled?: number;
      readonly updatedNumberScheduled?: number;
      readonly numberAvailable?: number;
    };
  };
  readonly Job: {
    readonly spec: object;
    readonly status?: Conditions & {
      readonly active?: number;
      readonly failed?: number;
      readonly startTime?: string;
    };
  };
  /** The common fields of Deployment, StatefulSet, DaemonSet and Job. */
  readonly Workload: {
    readonly spec?: {
      readonly replicas?: number;
      readonly volumeClaimTemplates?: readonly ClaimTemplate[];
      readonly template?: {
        readonly spec?: { readonly containers?: readonly { readonly image?: string }[] };
      };
    };
    readonly status?: {
      readonly replicas?: number;
      readonly currentNumberScheduled?: number;
    };
  };
  readonly Pod: {
    readonly spec?: { readonly nodeName?: string };
    readonly status?: { readonly phase?: string };
  };
  readonly PersistentVolumeClaim: {
    readonly spec?: ClaimSpec;
    readonly status?: { readonly phase?: string };
  };
  readonly Node: { readonly spec?: { readonly unschedulable?: boolean } };
  readonly Lease: {
    readonly spec?: {
      readonly holderIdentity?: string;
      readonly leaseDurationSeconds?: number;
      readonly leaseTransitions?: number;
      readonly renewTime?: string;
    };
  };
  readonly Certificate: { readonly status?: Conditions };
  readonly Gateway: {
    readonly spec?: {
      readonly listeners?: readonly {
        readonly tls?: { readonly certificateRefs: readonly { readonly name: string }[] };
      }[];
    };
    readonly status?: Conditions & {
      readonly listeners?: readonly (Conditions & { readonly name: string })[];
    };
  };
  readonly HTTPRoute: {
    readonly spec: { readonly parentRefs?: readonly ParentRef[] };
    readonly status?: {
      readonly parents?: readonly (Conditions & { readonly parentRef: ParentRef })[];
    };
  };
  readonly HorizontalPodAutoscaler: {
    readonly spec: { readonly scaleTargetRef?: { readonly kind: string; readonly name: string } };
  };
}

/**
 * The fields of an object by its kind; `undefined` without an object. The caller knows the kind,
 * and the API server has checked the fields.
 */
export function asKind<K extends keyof KubernetesKinds>(
  kind: K,
  object: KubernetesObject,
): KubernetesKinds[K];
export function asKind<K extends keyof KubernetesKinds>(
  kind: K,
  object: KubernetesObject | undefined,
): KubernetesKinds[K] | undefined;
export function asKind<K extends keyof KubernetesKinds>(
  _kind: K,
  object: KubernetesObject | undefined,
): KubernetesKinds[K] | undefined {
  return object as KubernetesKinds[K] | undefined;
}
