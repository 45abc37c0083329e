import { asKind, type LiveObject } from '#ports';
import type { OwnedObjects } from './owned-objects.ts';
import type { Pod } from './pod.ts';

/**
 * Number of a DaemonSet's template, which its pods carry as a label; its status names no revision.
 */
const DAEMON_REVISION = 'deprecated.daemonset.template.generation';

/** Pods of a workload's current revision, or with `all` also of earlier ones. */
export function podsOfWorkload(
  objects: Pick<OwnedObjects, 'ownedBy'>,
  workload: LiveObject,
  which: 'current' | 'all' = 'current',
): readonly Pod[] {
  if (workload.kind === 'Deployment') {
    const sets = objects
      .ownedBy(workload)
      .filter((set) => which === 'all' || revisionOf(set) === revisionOf(workload));
    return sets.flatMap((set) => objects.ownedBy(set) as readonly Pod[]);
  }
  const pods = objects.ownedBy(workload) as readonly Pod[];
  if (which === 'all') return pods;
  if (workload.kind === 'DaemonSet') {
    const wanted = workload.metadata.annotations?.[DAEMON_REVISION];
    return pods.filter(
      ({ metadata }) =>
        wanted === undefined || metadata.labels?.['pod-template-generation'] === wanted,
    );
  }
  if (workload.kind !== 'StatefulSet') return pods;
  const { updateRevision } = asKind('StatefulSet', workload).status ?? {};
  return pods.filter(
    ({ metadata }) => metadata.labels?.['controller-revision-hash'] === updateRevision,
  );
}

/** The revision of a Deployment or ReplicaSet; the current ReplicaSet has its Deployment's. */
function revisionOf({ metadata }: LiveObject): string | undefined {
  return metadata.annotations?.['deployment.kubernetes.io/revision'];
}
