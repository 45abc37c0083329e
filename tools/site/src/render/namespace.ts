import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Instance } from '../model/instance.ts';
import type { PodSpec } from '../model/kubernetes.ts';
import {
  APPLY_SET_KINDS,
  APPLY_SET_NAMESPACES,
  applySetId,
  applySetParent,
  groupKind,
  podLabels,
  siteLabels,
} from '../model/labels.ts';
import { BASELINE_CAPABILITIES } from '../model/namespaces.ts';
import { podsOf } from '../model/pods-of.ts';

/**
 * A namespace, held to the strictest Pod Security Standard that the pods of its `members` meet.
 */
export function renderNamespace(
  name: string,
  members: readonly KubernetesObject[],
): KubernetesObject {
  const inside = members.filter(({ metadata }) => metadata.namespace === name);
  const level = securityLevel(podsOf(inside).map(({ pod }) => pod));
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name,
      labels: {
        'app.kubernetes.io/managed-by': 'ccp',
        'pod-security.kubernetes.io/enforce': level,
        'pod-security.kubernetes.io/warn': level,
      },
    },
  };
}

/**
 * Parent of the site's ApplySet: by it a tool that prunes knows which kinds and namespaces to look
 * at.
 */
export function renderApplySet(site: Site, members: readonly KubernetesObject[]): KubernetesObject {
  const kinds = new Set(members.filter(({ kind }) => kind !== 'Namespace').map(groupKind));
  const others = new Set(members.flatMap(({ metadata }) => metadata.namespace ?? []));
  others.delete(site.namespace);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: applySetParent(site),
      namespace: site.namespace,
      labels: {
        'applyset.kubernetes.io/id': applySetId(site),
        'app.kubernetes.io/part-of': site.name,
        'app.kubernetes.io/managed-by': 'ccp',
      },
      annotations: {
        'applyset.kubernetes.io/tooling': 'ccp/v1',
        [APPLY_SET_KINDS]: [...kinds].sort().join(','),
        ...(others.size === 0 ? {} : { [APPLY_SET_NAMESPACES]: [...others].sort().join(',') }),
      },
    },
  };
}

/** Account of an instance's pods; it may do nothing and no token of it is mounted. */
export function renderServiceAccount(
  site: Site,
  instance: Instance,
  namespace: string,
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: {
      name: instance.name,
      namespace,
      labels: { ...siteLabels(site), ...podLabels(instance, 'account') },
    },
    automountServiceAccountToken: false,
  };
}

type Level = 'restricted' | 'baseline' | 'privileged';

function securityLevel(pods: readonly PodSpec[]): Level {
  const levels = new Set(pods.map(levelOf));
  return (['privileged', 'baseline'] as const).find((level) => levels.has(level)) ?? 'restricted';
}

function levelOf({
  hostNetwork,
  hostPID,
  hostIPC,
  volumes,
  securityContext,
  containers,
}: PodSpec): Level {
  const { runAsNonRoot } = securityContext as { readonly runAsNonRoot?: boolean };
  const contexts = containers.map(
    (container) =>
      container.securityContext as {
        readonly privileged?: boolean;
        readonly allowPrivilegeEscalation?: boolean;
        readonly capabilities?: { readonly add?: readonly string[] };
      },
  );
  const added = contexts.flatMap(({ capabilities }) => capabilities?.add ?? []);
  const ofNode =
    hostNetwork === true ||
    hostPID === true ||
    hostIPC === true ||
    volumes.some(({ hostPath }) => hostPath !== undefined);
  if (
    ofNode ||
    contexts.some(({ privileged }) => privileged === true) ||
    added.some((name) => !BASELINE_CAPABILITIES.has(name))
  )
    return 'privileged';
  const strict =
    runAsNonRoot === true &&
    contexts.every(({ allowPrivilegeEscalation }) => allowPrivilegeEscalation === false) &&
    added.every((name) => name === 'NET_BIND_SERVICE');
  return strict ? 'restricted' : 'baseline';
}
