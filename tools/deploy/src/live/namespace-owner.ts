import type { KubernetesObject, LiveObject } from '#ports';
import { ENFORCE, isLaxer } from './pod-security.ts';

const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** Whether a namespace is one that someone else made: its labels are theirs, unless they gave it to us by the label `managed-by`. */
export function isForeignNamespace(live: LiveObject): boolean {
  return live.kind === 'Namespace' && live.metadata.labels?.[MANAGED_BY] !== 'ccp';
}

/** What a plan says of a namespace of others: that it stays as it is, or that it does not take the pods of the site. */
export function foreignNamespace(
  rendered: KubernetesObject,
  live: LiveObject,
): { readonly action: 'unchanged' | 'refused'; readonly reason: string; readonly remedy?: string } {
  const [needed, held] = [rendered, live].map(({ metadata }) => metadata.labels?.[ENFORCE]);
  if (needed === undefined || held === undefined || !isLaxer(needed, held)) {
    const level = held === undefined ? 'what the cluster says' : `"${held}"`;
    return {
      action: 'unchanged',
      reason: `was there before the site and keeps its labels: its pods are held to ${level}, the site's meet "${needed}"`,
    };
  }
  const { name } = live.metadata;
  return {
    action: 'refused',
    reason: `it was there before the site and holds its pods to "${held}", and the site's need "${needed}"`,
    remedy: `give the site a namespace of its own, or this one to ccp: kubectl label namespace ${name} ${MANAGED_BY}=ccp`,
  };
}
