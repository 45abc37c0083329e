import type { KubernetesObject, LiveObject } from '#ports';
import { ENFORCE, isLaxer } from './pod-security.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';

/**
 * Whether someone else created a namespace: ccp does not change its labels, unless the label
 * `managed-by` hands it over.
 */
export function isForeignNamespace(live: LiveObject): boolean {
  return live.kind === 'Namespace' && live.metadata.labels?.[MANAGED_BY] !== 'ccp';
}

/**
 * The plan entry of a namespace that ccp did not create: unchanged, or refused if it does not admit
 * the site's pods.
 */
export function foreignNamespace(
  rendered: KubernetesObject,
  live: LiveObject,
): { readonly action: 'unchanged' | 'refused'; readonly reason: string; readonly remedy?: string } {
  const [needed, held] = [rendered, live].map(({ metadata }) => metadata.labels?.[ENFORCE]);
  if (needed === undefined || held === undefined || !isLaxer(needed, held)) {
    const level =
      held === undefined
        ? 'the default pod security level of the cluster'
        : `the pod security level "${held}"`;
    return {
      action: 'unchanged',
      reason: `existed before the site and keeps its labels: it enforces ${level}, and the site's pods meet "${needed}"`,
    };
  }
  const { name } = live.metadata;
  return {
    action: 'refused',
    reason: `it existed before the site and enforces the pod security level "${held}", but the site's pods need "${needed}"`,
    remedy: `set another namespace for the site, or let ccp manage this one: kubectl label namespace ${name} ${MANAGED_BY}=ccp`,
  };
}
