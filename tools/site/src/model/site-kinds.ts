import type { KindRef } from '#ports';
import { groupKind } from './labels.ts';
import type { RenderedSite } from './types.ts';

/**
 * Every kind of object that a site can have, without Namespace, which is shared, and Secret, which
 * is never read.
 */
export const SITE_KINDS: readonly KindRef[] = [
  { apiVersion: 'v1', kind: 'ConfigMap' },
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'ServiceAccount' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'batch/v1', kind: 'CronJob' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
  { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding' },
];

/** Kinds that only some sites have, which a cluster need not know and this account need not see. */
export const EXPOSE_KINDS: readonly KindRef[] = [
  { apiVersion: 'cert-manager.io/v1', kind: 'Certificate' },
  { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway' },
  { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' },
  { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' },
];

const CRON_JOB: KindRef = { apiVersion: 'batch/v1', kind: 'CronJob' };

/** Kinds of a site's steps other than workloads and Jobs, which every site has. */
export function otherKindsOf({ steps }: RenderedSite): KindRef[] {
  const rendered = new Set(steps.flatMap(({ objects }) => objects.map(groupKind)));
  return [...EXPOSE_KINDS, CRON_JOB].filter((kind) => rendered.has(groupKind(kind)));
}

/** Who we are to the API server's ownership of fields. */
export const FIELD_MANAGER = 'ccp';
