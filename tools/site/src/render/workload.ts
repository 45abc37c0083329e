import { omitUndefined } from '#core';
import type { ReplicatedWorkload, SharedClaim, Site, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { BoundPod } from '../model/bound.ts';
import { podLabels, SERIES, siteLabels } from '../model/labels.ts';
import { workloadNamespace } from '../model/namespaces.ts';
import { objectName, peersService, replicasOf, podSeries } from '../model/names.ts';
import { variantsOf } from '../model/node-groups.ts';
import { requiredWorkloads } from '../model/required-workloads.ts';
import type { InstanceInput } from './instance-input.ts';
import type { SameNode, Spread } from './placement.ts';
import { renderPod } from './pod.ts';

/** The Deployment, StatefulSet or DaemonSet of a workload. */
export function renderWorkload(
  of: InstanceInput,
  name: string,
  workload: Workload,
  bound: BoundPod,
): KubernetesObject {
  const { instance, site } = of;
  const object = objectName(instance, name);
  const labels = podLabels(instance, name);
  const onNodes = instance.onNodes.get(name);
  const pod = renderPod({
    ...bound,
    site,
    files: of.groupFiles.get(onNodes?.group ?? '') ?? of.files,
    role: workload.role,
    onNodes,
    ...omitUndefined({
      spread: workload.kind === 'DaemonSet' ? undefined : spreadOf(workload, labels),
      host: workload.host,
      shareProcessNamespace: workload.shareProcessNamespace,
    }),
    account: workload.leader === undefined ? undefined : instance.name,
    sameNode: sameNodeOf(of, workload),
    volumes: workload.volumes ?? {},
  });
  return {
    apiVersion: 'apps/v1',
    kind: workload.kind,
    metadata: {
      name: object,
      namespace: workloadNamespace(site, workload),
      labels: { ...siteLabels(site), ...labels },
    },
    spec: {
      ...(workload.kind === 'DaemonSet' ? {} : { replicas: replicasOf(instance, name, workload) }),
      revisionHistoryLimit: 5,
      selector: { matchLabels: labels },
      ...strategyOf(workload, object),
      template: {
        metadata: { labels, ...annotationsOf(of, workload) },
        spec: { ...pod, terminationGracePeriodSeconds: workload.grace },
      },
      ...(workload.kind === 'StatefulSet' ? { volumeClaimTemplates: claims(of, workload) } : {}),
    },
  };
}

function annotationsOf({ instance, site }: InstanceInput, workload: Workload): object {
  return workload.together === undefined
    ? {}
    : { annotations: { [SERIES]: podSeries(instance, workload, site) } };
}

/** Pods of a Deployment also differ by revision: pods of the old revision are about to stop. */
function spreadOf({ kind, spread }: ReplicatedWorkload, labels: Spread['labels']): Spread {
  return {
    labels,
    required: spread === 'required',
    ...(kind === 'StatefulSet' ? {} : { revision: 'pod-template-hash' }),
  };
}

/** The update strategy of a workload. */
function strategyOf(workload: Workload, object: string): object {
  switch (workload.kind) {
    case 'Deployment':
      return {
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxSurge: workload.surge ?? 1, maxUnavailable: 0 },
        },
      };
    case 'StatefulSet':
      return {
        serviceName: peersService(object),
        podManagementPolicy: workload.start === 'parallel' ? 'Parallel' : 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate' },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      };
    case 'DaemonSet':
      return {
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: workload.disruption?.maxUnavailable ?? 1, maxSurge: 0 },
        },
      };
  }
}

/** The pods that must be on the same node. */
function sameNodeOf({ site, instance, instances }: InstanceInput, workload: Workload): SameNode {
  const own = workloadNamespace(site, workload);
  return requiredWorkloads(instance, workload)
    .filter(({ local }) => local)
    .map((required) => {
      const provider = instances.get(required.instance)!;
      const variants = variantsOf(provider, required.workload);
      const theirs = workloadNamespace(site, provider.spec.workloads[required.workload]!);
      const elsewhere = theirs === own ? {} : { namespaces: [theirs] };
      const { 'app.kubernetes.io/component': component, ...matchLabels } = podLabels(
        provider,
        required.workload,
      );
      if (variants.length === 1)
        return {
          labelSelector: {
            matchLabels: { ...matchLabels, 'app.kubernetes.io/component': component },
          },
          ...elsewhere,
        };
      return {
        labelSelector: {
          matchLabels,
          matchExpressions: [
            { key: 'app.kubernetes.io/component', operator: 'In', values: variants },
          ],
        },
        ...elsewhere,
      };
    });
}

function claims({ site }: InstanceInput, workload: Workload): object[] {
  return Object.entries(workload.volumes ?? {}).flatMap(([name, { claim }]) =>
    claim === undefined ? [] : [{ metadata: { name }, spec: claimSpec(site, claim) }],
  );
}

/** The spec of a claim. */
export function claimSpec(
  site: Pick<Site, 'storage'>,
  { size, storage = 'default' }: SharedClaim,
): object {
  const storageClassName = site.storage[storage] ?? site.storage['default'];
  return {
    accessModes: ['ReadWriteOnce'],
    ...omitUndefined({ storageClassName }),
    resources: { requests: { storage: size } },
  };
}
