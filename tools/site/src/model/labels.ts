import { createHash } from 'node:crypto';
import { canonicalJson, sha256, type Json } from '#core';
import type { KubernetesObject } from '#ports';
import type { Instance } from './instance.ts';

/** Labels by which a pod is found; never changed, since selectors cannot be. */
export function podLabels(
  instance: Pick<Instance, 'name' | 'spec'>,
  component: string,
): Record<string, string> {
  return {
    'app.kubernetes.io/name': instance.spec.name,
    'app.kubernetes.io/instance': instance.name,
    'app.kubernetes.io/component': component,
  };
}

/** Annotation with the series of pods that must not run together with pods of another series. */
export const SERIES = 'ccp/series';

/** Label of the pod that a workload's Service leads to, where its pods choose one. */
export const ROLE = 'ccp.openstack.org/role';
export const WRITER = 'writer';

/** Labels of every object of a site: whose it is, and which ApplySet may prune it. */
export function siteLabels(site: {
  readonly name: string;
  readonly namespace: string;
}): Record<string, string> {
  return {
    'app.kubernetes.io/part-of': site.name,
    'app.kubernetes.io/managed-by': 'ccp',
    'applyset.kubernetes.io/part-of': applySetId(site),
  };
}

/** Annotations of an ApplySet's parent: the kinds of its members, and their other namespaces. */
export const APPLY_SET_KINDS = 'applyset.kubernetes.io/contains-group-kinds';
export const APPLY_SET_NAMESPACES = 'applyset.kubernetes.io/additional-namespaces';

/**
 * Id of the site's ApplySet (KEP-3659): its parent is the ConfigMap `ccp-<site>` in the site's
 * namespace.
 */
export function applySetId(site: { readonly name: string; readonly namespace: string }): string {
  const hash = createHash('sha256')
    .update(`${applySetParent(site)}.${site.namespace}.ConfigMap.`)
    .digest('base64url');
  return `applyset-${hash}-v1`;
}

/** Name of the ConfigMap that is the parent of a site's ApplySet. */
export function applySetParent(site: { readonly name: string }): string {
  return `ccp-${site.name}`;
}

/** A kind as the ApplySet's annotation spells it: `Ingress.networking.k8s.io`, `Service`. */
export function groupKind({
  kind,
  apiVersion,
}: {
  readonly kind: string;
  readonly apiVersion: string;
}): string {
  return apiVersion.includes('/') ? `${kind}.${apiVersion.split('/')[0]}` : kind;
}

/** Ten hex digits that change with a value; they name immutable objects. */
export function contentHash(value: object): string {
  return sha256(canonicalJson(value as Json)).slice(0, 10);
}

/** Whether an object is the parent of the site's ApplySet. */
export function isApplySet(
  { kind, metadata }: KubernetesObject,
  site: { readonly name: string },
): boolean {
  return kind === 'ConfigMap' && metadata.name === applySetParent(site);
}
