import type { KubernetesObject } from '#ports';
import type { RenderedSite, Step } from '../model/types.ts';
import { CONTENT, jobBaseName, namespaceOf, type GateCondition } from './gate-condition.ts';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/**
 * Conditions of the steps that a step waits for. The pods of all steps have a gate, so the direct
 * edges are enough.
 *
 * - Secrets: none, since the kubelet starts no container before its Secrets exist.
 * - Jobs of the same instance: the Job with this content, so new code waits for its migrations.
 * - Jobs of other instances and accounts: any complete one, so a new release of a provider does not
 *   replace the pods of its consumers.
 * - Workloads: a ready endpoint of their Service, or a ready pod if they have none. A contract job
 *   waits until no pod of an older release is left.
 */
export function stepConditions(
  step: Step,
  before: ReadonlyMap<string, Step>,
  foundation: RenderedSite['foundation'],
): readonly GateCondition[] {
  const services = new Set(foundation.filter(isOpenService).map(placeOf));
  return step.waitsFor.flatMap((id) => {
    const earlier = before.get(id)!;
    if (earlier.phase === 'secrets') return [];
    return earlier.objects.flatMap((object): GateCondition[] => {
      const place = { namespace: namespaceOf(object), name: object.metadata.name };
      const { kind } = object;
      if (kind === 'Job') {
        const isOwn = earlier.instance === step.instance && earlier.phase !== 'setup';
        return isOwn
          ? [{ type: 'job', ...place }]
          : [{ type: 'job-of', ...place, name: jobBaseName(object) }];
      }
      if (!WORKLOADS.has(kind)) return [];
      const content = object.metadata.annotations?.[CONTENT];
      if (step.phase === 'contract' && content !== undefined)
        return [{ type: 'rollout', kind, content, ...place }];
      return services.has(placeOf(object))
        ? [{ type: 'service', ...place }]
        : [{ type: 'workload', kind, ...place }];
    });
  });
}

function isOpenService({ kind, ...object }: KubernetesObject): boolean {
  const spec = object['spec'] as { readonly publishNotReadyAddresses?: boolean } | undefined;
  return kind === 'Service' && spec?.publishNotReadyAddresses !== true;
}

function placeOf(object: KubernetesObject): string {
  return `${namespaceOf(object)}/${object.metadata.name}`;
}
