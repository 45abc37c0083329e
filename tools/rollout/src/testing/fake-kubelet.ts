import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';

/**
 * How pods of a template behave: healthy, exiting with 3 again and again, without an image, without
 * a node, without a volume, running but never ready, running while its probes get no answer, never
 * finishing, or refused by a quota. A Job's pod may also exit with 66, or end well with a
 * termination message (`reports TEXT`).
 */
export type Behaviour =
  | 'well'
  | 'crashes'
  | 'no-image'
  | 'no-node'
  | 'no-volume'
  | 'unready'
  | 'deaf'
  | 'hangs'
  | 'no-quota'
  | 'no-input'
  | `reports ${string}`;

interface Template {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly containers: readonly { readonly name: string; readonly image: string }[];
  };
}

/** Creates a pod of a template in the state that its behaviour reaches. `ends` is for Jobs. */
export function putPod(
  cluster: FakeCluster,
  owner: LiveObject,
  name: string,
  of: {
    readonly behaviour: Behaviour;
    readonly labels: Readonly<Record<string, string>>;
    readonly ends?: boolean;
    readonly volumes?: readonly object[];
  },
): LiveObject {
  const { template } = owner['spec'] as { template: Template };
  const namespace = owner.metadata.namespace!;
  const [first] = template.spec.containers;
  const metadata = {
    name,
    namespace,
    labels: { ...template.metadata?.labels, ...of.labels },
    annotations: template.metadata?.annotations ?? {},
    ownerReferences: [
      {
        apiVersion: owner.apiVersion,
        kind: owner.kind,
        name: owner.metadata.name,
        uid: owner.metadata.uid,
        controller: true,
      },
    ],
  };
  if (of.behaviour === 'crashes')
    cluster.setLogs({ namespace, name }, `starting\nno such table: ${first!.image.slice(-4)}\n`, {
      container: first!.name,
      previous: of.ends !== true,
    });
  if (of.behaviour === 'deaf')
    for (const probe of ['Readiness', 'Liveness'])
      cluster.addEvent(
        { apiVersion: 'v1', kind: 'Pod', namespace, name },
        {
          reason: 'Unhealthy',
          message: `${probe} probe failed: connection refused`,
          count: 3,
          container: first!.name,
        },
      );
  return cluster.store.put(
    { apiVersion: 'v1', kind: 'Pod', namespace, name },
    {
      object: {
        metadata,
        spec: of.volumes === undefined ? template.spec : { ...template.spec, volumes: of.volumes },
        status: statusOf(of.behaviour, first!.name, of.ends === true),
      },
      owners: [],
    },
  );
}

function statusOf(behaviour: Behaviour, name: string, ends: boolean): Record<string, unknown> {
  const unready = { type: 'Ready', status: 'False' };
  const container = (state: object, restartCount = 0, more: object = {}): object => ({
    name,
    ready: false,
    restartCount,
    state,
    ...more,
  });
  if (behaviour === 'no-node')
    return {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: '0/3 nodes are available: 3 Insufficient cpu.',
        },
      ],
    };
  if (behaviour === 'no-volume')
    return {
      phase: 'Pending',
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: 'pod has unbound immediate PersistentVolumeClaims. not found',
        },
      ],
    };
  if (behaviour === 'no-image')
    return {
      phase: 'Pending',
      conditions: [unready],
      containerStatuses: [
        container({ waiting: { reason: 'ImagePullBackOff', message: 'manifest unknown' } }),
      ],
    };
  const exit = { terminated: { exitCode: behaviour === 'no-input' ? 66 : 3, reason: 'Error' } };
  if ((behaviour === 'crashes' || behaviour === 'no-input') && ends)
    return { phase: 'Failed', conditions: [unready], containerStatuses: [container(exit)] };
  if (behaviour === 'crashes')
    return {
      phase: 'Running',
      conditions: [unready],
      containerStatuses: [
        container({ waiting: { reason: 'CrashLoopBackOff' } }, 4, { lastState: exit }),
      ],
    };
  if (behaviour === 'unready' || behaviour === 'deaf' || behaviour === 'hangs')
    return {
      phase: 'Running',
      conditions: [unready],
      containerStatuses: [container({ running: {} })],
    };
  if (ends)
    return {
      phase: 'Succeeded',
      conditions: [unready],
      containerStatuses: [container({ terminated: { exitCode: 0, message: reportOf(behaviour) } })],
    };
  return {
    phase: 'Running',
    conditions: [{ type: 'Ready', status: 'True' }],
    containerStatuses: [{ ...container({ running: {} }), ready: true }],
  };
}

/** The termination message of a Job's pod; empty if it reports nothing. */
function reportOf(behaviour: Behaviour): string {
  return behaviour.startsWith('reports ') ? behaviour.slice('reports '.length) : '';
}
