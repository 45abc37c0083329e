import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, KubernetesObject } from '#ports';

const READY_MS = 60_000;

/**
 * Stages for kwok: nodes and pods that become ready immediately, and the failures in
 * `pod-failures.yaml`.
 */
export function stageFiles(stages: string): readonly string[] {
  const own = [
    'node/fast/node-initialize',
    'node/heartbeat-with-lease/node-heartbeat-with-lease',
    'pod/fast/pod-ready',
    'pod/fast/pod-complete',
    'pod/fast/pod-delete',
  ];
  return [
    ...own.map((file) => join(stages, `${file}.yaml`)),
    fileURLToPath(new URL('pod-failures.yaml', import.meta.url)),
  ];
}

/** Log of every container on these nodes. */
export const POD_LOG = 'starting\nERROR cannot continue: simulated failure\n';

/**
 * Writes the container log for kwok and its configuration; resolves with the configuration's path.
 */
export async function writePodLogs(folder: string): Promise<string> {
  const [log, config] = [join(folder, 'pod.log'), join(folder, 'logs.yaml')];
  const line = (text: string) => `2026-01-01T00:00:00.000000000Z stderr F ${text}`;
  await writeFile(log, `${POD_LOG.trimEnd().split('\n').map(line).join('\n')}\n`);
  await writeFile(
    config,
    JSON.stringify({
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'ClusterLogs',
      metadata: { name: 'all' },
      spec: { logs: [{ logsFile: log }] },
    }),
  );
  return config;
}

/**
 * Creates nodes `node-0`, `node-1`, ... with every role, and waits for them and the default service
 * account.
 */
export async function createNodes(cluster: Cluster, count: number): Promise<void> {
  await Promise.all(
    Array.from(
      { length: count },
      async (_, index) =>
        await cluster.apply(node(`node-${index}`), { fieldManager: 'test-cluster' }),
    ),
  );
  for (const until = Date.now() + READY_MS; ; await delay(100)) {
    const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Node' });
    const account = await cluster.get({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      namespace: 'default',
      name: 'default',
    });
    if (account !== undefined && items.filter(isReady).length >= count) return;
    if (Date.now() > until)
      throw new Error(`${items.filter(isReady).length} of ${count} nodes are ready`);
  }
}

function node(name: string): KubernetesObject {
  const labels = {
    'kubernetes.io/hostname': name,
    'openstack-control-plane': 'enabled',
    'openstack-compute-node': 'enabled',
  };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: {
      allocatable: { cpu: '64', memory: '256Gi', pods: '500' },
      capacity: { cpu: '64', memory: '256Gi', pods: '500' },
    },
  };
}

function isReady({ status }: KubernetesObject): boolean {
  const { conditions = [] } = (status ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return conditions.some(({ type, status: is }) => type === 'Ready' && is === 'True');
}
