import { omitUndefined } from '#core';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import type { Cluster, KubernetesObject, LiveObject, ObjectRef } from '../../cluster.ts';

/**
 * A cluster under test. A suite uses its own namespace and deletes nothing else. Clients over a
 * network have pages of at most 5 objects.
 */
export interface ClusterUnderTest {
  readonly cluster: Cluster;
  close(): Promise<void>;
}

/**
 * Opens the cluster for the current suite and creates a namespace, and removes both afterwards.
 * Returns helpers for its tests.
 */
export function suiteCluster(open: () => Promise<ClusterUnderTest>) {
  let under: ClusterUnderTest;
  let cluster: Cluster;
  const namespace = `suite-${randomUUID().slice(0, 8)}`;
  const fieldManager = 'suite';

  const configMap = (
    object: string,
    data: Readonly<Record<string, string>>,
    more: object = {},
  ): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: object, namespace, ...more },
    data,
  });
  const deployment = (object: string, container: object, spec: object = {}): KubernetesObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: object, namespace },
    spec: {
      selector: { matchLabels: { app: object } },
      template: {
        metadata: { labels: { app: object } },
        spec: { containers: [{ name: 'main', image: 'image:1', ...container }] },
      },
      ...spec,
    },
  });
  const refTo = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
    apiVersion,
    kind,
    name: metadata.name,
    ...omitUndefined({ namespace: metadata.namespace }),
  });
  const apply = async (
    object: KubernetesObject,
    options: {
      readonly fieldManager?: string;
      readonly force?: boolean;
      readonly dryRun?: boolean;
    } = {},
  ): Promise<LiveObject> => {
    const result = await cluster.apply(object, { fieldManager, ...options });
    if (result.outcome !== 'applied') throw new Error(`not applied: ${JSON.stringify(result)}`);
    return result.object;
  };
  const create = async (object: KubernetesObject): Promise<LiveObject> => {
    const result = await cluster.create(object, { fieldManager });
    if (result.outcome !== 'created') throw new Error(result.outcome);
    return result.object;
  };
  const specOf = (object: LiveObject) =>
    object['spec'] as {
      readonly replicas: number;
      readonly template: {
        readonly spec: { readonly containers: readonly Record<string, unknown>[] };
      };
    };

  beforeAll(async () => {
    under = await open();
    ({ cluster } = under);
    await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  });
  afterAll(async () => {
    await cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: namespace });
    await under.close();
  });
  return {
    cluster: () => cluster,
    namespace,
    fieldManager,
    configMap,
    deployment,
    refTo,
    apply,
    create,
    specOf,
  };
}
