import type { KubernetesObject } from '#ports';
import type { RenderedSite, Step } from '../model/types.ts';
import { CONTENT, jobBaseName, namespaceOf, type GateCondition } from './gate-condition.ts';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/**
 * Conditions of the steps that a step waits for. The pods of all steps have a gate, so the direct
 * edges are enough, except for a step that retires a password: it needs all steps of its instance.
 *
 * - Secrets: none, since the kubelet starts no container before its Secrets exist.
 * - Jobs of the same instance: the Job with this content, so new code waits for its migrations.
 * - Jobs of other instances and accounts: any complete one, so a new release of a provider does not
 *   replace the pods of its consumers.
 * - Workloads: a ready endpoint of their Service, or a ready pod if they have none. A contract job
 *   waits until no pod of an older release is left, and a step that retires a password until no pod
 *   of an earlier generation is left.
 */
export function stepConditions(
  step: Step,
  before: ReadonlyMap<string, Step>,
  foundation: RenderedSite['foundation'],
): readonly GateCondition[] {
  const services = new Set(foundation.filter(isOpenService).map(placeOf));
  const isLast = step.phase === 'contract' || step.retires !== undefined;
  const steps = step.retires === undefined ? directSteps(step, before) : ownSteps(step, before);
  return steps.flatMap((earlier) => {
    if (earlier.phase === 'secrets') return [];
    return earlier.objects.flatMap((object): GateCondition[] => {
      const place = { namespace: namespaceOf(object), name: object.metadata.name };
      const { kind } = object;
      if (kind === 'Job') {
        const isOwn = earlier.instance === step.instance && (earlier.phase !== 'setup' || isLast);
        return isOwn
          ? [{ type: 'job', ...place }]
          : [{ type: 'job-of', ...place, name: jobBaseName(object) }];
      }
      if (!WORKLOADS.has(kind)) return [];
      const content = object.metadata.annotations?.[CONTENT];
      if (isLast && content !== undefined) return [{ type: 'rollout', kind, content, ...place }];
      return services.has(placeOf(object))
        ? [{ type: 'service', ...place }]
        : [{ type: 'workload', kind, ...place }];
    });
  });
}

function directSteps({ waitsFor }: Step, before: ReadonlyMap<string, Step>): readonly Step[] {
  return waitsFor.map((id) => before.get(id)!);
}

/** The steps of its instance that a step waits for, directly or not. */
function ownSteps(step: Step, before: ReadonlyMap<string, Step>): readonly Step[] {
  const found = new Set(directSteps(step, before));
  for (const each of found) for (const one of directSteps(each, before)) found.add(one);
  return [...found].filter(({ instance }) => instance === step.instance);
}

function isOpenService({ kind, ...object }: KubernetesObject): boolean {
  const spec = object['spec'] as { readonly publishNotReadyAddresses?: boolean } | undefined;
  return kind === 'Service' && spec?.publishNotReadyAddresses !== true;
}

function placeOf(object: KubernetesObject): string {
  return `${namespaceOf(object)}/${object.metadata.name}`;
}
