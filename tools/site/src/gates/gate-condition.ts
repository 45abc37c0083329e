import type { KubernetesObject } from '#ports';

/** A condition that the gate of a pod waits for. */
export type GateCondition = { readonly namespace: string; readonly name: string } & (
  | { readonly type: 'service' }
  /** A Job by its whole name, which changes with its content. */
  | { readonly type: 'job' }
  /** Any complete Job with this value of `JOB_LABEL`. */
  | { readonly type: 'job-of' }
  /** A workload with a ready pod. */
  | { readonly type: 'workload'; readonly kind: string }
  /**
   * A workload that is updated to a content, whose pods are all updated and ready, and none of
   * which is still terminating.
   */
  | { readonly type: 'rollout'; readonly kind: string; readonly content: string }
);

/** Label of a Job: its name without the hash. */
export const JOB_LABEL = 'ccp.openstack.org/job';
/** Annotation of a workload: the hash of its spec without replicas. */
export const CONTENT = 'ccp.openstack.org/content';

const JOB_HASH = /-[0-9a-f]{10}$/;

/** The name of a Job of a site without the hash of its content. */
export function jobBaseName({ metadata }: KubernetesObject): string {
  return metadata.name.replace(JOB_HASH, '');
}

/** The namespace of a namespaced object. */
export function namespaceOf({ metadata }: KubernetesObject): string {
  return metadata.namespace ?? 'default';
}

/** The arguments of the program `gate` for a condition. */
export function gateArguments(condition: GateCondition): readonly string[] {
  const place = `${condition.namespace}/${condition.name}`;
  switch (condition.type) {
    case 'workload':
      return ['--workload', `${condition.kind}/${place}`];
    case 'rollout':
      return ['--rollout', `${condition.kind}/${place}@${condition.content}`];
    default:
      return [`--${condition.type}`, place];
  }
}
