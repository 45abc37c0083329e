import type { Condition, LiveObject } from '#ports';

/** The fields of a pod that ccp reads. */
export interface Pod extends LiveObject {
  readonly spec: {
    readonly nodeName?: string;
    readonly terminationGracePeriodSeconds?: number;
    readonly containers?: readonly {
      readonly name: string;
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
      readonly startupProbe?: Probe;
      readonly readinessProbe?: Probe;
      readonly livenessProbe?: Probe;
    }[];
    readonly volumes?: readonly {
      readonly configMap?: { readonly name: string };
      readonly persistentVolumeClaim?: { readonly claimName: string };
      readonly projected?: {
        readonly sources?: readonly { readonly configMap?: { readonly name: string } }[];
      };
    }[];
  };
  readonly status?: {
    readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
    readonly reason?: string;
    readonly message?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

/** A probe of a container. */
export interface Probe {
  readonly httpGet?: { readonly path?: string; readonly port: number | string };
  readonly tcpSocket?: { readonly port: number | string };
  readonly exec?: { readonly command?: readonly string[] };
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly failureThreshold?: number;
}

export interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  /** Whether its startup probe has passed in this run; true without a startup probe. */
  readonly started?: boolean;
  readonly restartCount: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

/** How one run of a container ended. */
export interface Termination {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
}

interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: object;
  readonly terminated?: Termination;
}

/** The labels that a workload and its pods share. */
const OWNERSHIP = [
  'app.kubernetes.io/name',
  'app.kubernetes.io/instance',
  'app.kubernetes.io/component',
];

/**
 * Whether two objects are of the same part of the same instance: a workload and its pod, or two
 * versions of one Job.
 */
export function samePart(
  a: {
    readonly metadata:
      | LiveObject['metadata']
      | {
          readonly labels?: Readonly<Record<string, string>>;
          readonly namespace?: string;
        };
  },
  b: typeof a,
): boolean {
  const [left, right] = [a.metadata.labels ?? {}, b.metadata.labels ?? {}];
  return (
    sameNamespace(a.metadata, b.metadata) &&
    left['app.kubernetes.io/name'] !== undefined &&
    OWNERSHIP.every((label) => left[label] === right[label])
  );
}

/** Whether two objects are not known to be in different namespaces. */
function sameNamespace(
  { namespace: one }: { readonly namespace?: string },
  { namespace: other }: { readonly namespace?: string },
): boolean {
  return one === undefined || other === undefined || one === other;
}

/** Whether a pod has succeeded or failed. */
export function isFinished({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** ConfigMaps that a pod mounts. */
export function configMapsOf({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ configMap, projected }) =>
    [configMap, ...(projected?.sources ?? []).map((source) => source.configMap)].flatMap(
      (source) => source?.name ?? [],
    ),
  );
}

/** True if kubelet reports the pod as ready. */
export function isReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true
  );
}

/** Whether a container has passed its startup probe in this run, or has none. */
export function hasStarted({ spec, status }: Pod, container: string): boolean {
  const { started } = status?.containerStatuses?.find(({ name }) => name === container) ?? {};
  return (
    started ?? spec.containers?.find(({ name }) => name === container)?.startupProbe === undefined
  );
}
