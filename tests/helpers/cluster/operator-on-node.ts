import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ManagedResource } from '#operator';
import { startDebianRegistry, type DebianRegistry } from '../e2e/debian-registry.ts';
import { kstatus } from './kstatus.ts';
import { namespace, type NodeCluster } from './node-cluster.ts';

export const OPERATOR = 'ccp-operator';
export const SITE = 'kept';
export const RELEASE = {
  apiVersion: 'ccp.openstack.org/v1alpha1',
  kind: 'OpenStackRelease',
  name: SITE,
  namespace,
};
const LONGEST_MS = 1_200_000;

/** An operator in pods of a node, a registry that they reach, and the resource of a site. */
export interface OperatorOnNode {
  /** `http://HOST:PORT/PATH` of published sets. */
  readonly place: string;
  /** Publishes the last built set of a series; resolves with its digest. */
  publish(series: string): Promise<string>;
  /** Changes members of the resource's spec, and its annotations. */
  change(more: object, annotations?: Readonly<Record<string, string>>): Promise<void>;
  resource(): Promise<ManagedResource | undefined>;
  /** Waits for a state of the resource; resolves with it and the seconds that it took. */
  until(
    is: (resource: ManagedResource) => boolean,
    meanwhile?: (since: number) => Promise<void>,
  ): Promise<readonly [ManagedResource, number]>;
  /** Names of its pods. */
  pods(): Promise<readonly string[]>;
  /** Installs it, or upgrades it, and waits for its pods. */
  install(replicas: number): Promise<void>;
  /** The pod whose operator holds the Lease. */
  leader(): Promise<string>;
  /** Lines of the metrics of all its pods, read by a pod of the site through the Service. */
  metrics(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export const isCurrent = (live: ManagedResource): boolean => kstatus(live) === 'Current';
export const isAt =
  (revision: number) =>
  (live: ManagedResource): boolean =>
    isCurrent(live) && live.status?.revision === revision;
/** The reason of a condition that is true. */
export const reason = (live: ManagedResource, type: string): string | undefined =>
  live.status?.conditions?.find((each) => each.type === type && each.status === 'True')?.reason;

/** The value of the first line that starts so; NaN without one. */
export const valueOf = (lines: readonly string[], start: string): number =>
  Number(
    lines
      .find((line) => line.startsWith(start))
      ?.split(' ')
      .at(-1) ?? Number.NaN,
  );

const ADDRESSES = `import socket, urllib.request
for address in sorted({a[4][0] for a in socket.getaddrinfo("${OPERATOR}.${OPERATOR}.svc.cluster.local", 9464)}):
    print(urllib.request.urlopen(f"http://{address}:9464/metrics", timeout=10).read().decode())`;

/** The registry is on the machine's end of the node's link. */
export async function openOperator(node: NodeCluster): Promise<OperatorOnNode> {
  const { cluster } = node;
  const kubeconfig = readFileSync(join(node.folder, 'kubeconfig'), 'utf8');
  const network = /https:\/\/(10\.251\.\d+)\.2:/.exec(kubeconfig)![1]!;
  const folder = join(node.workspace.root, 'registry');
  const registry: DebianRegistry = await startDebianRegistry(folder, `${network}.1`);
  const place = `http://${registry.address}/ccp`;
  let spec: Record<string, unknown> = {};
  const resource = async (): Promise<ManagedResource | undefined> =>
    (await cluster.get(RELEASE)) as ManagedResource | undefined;
  const pods = async (): Promise<readonly string[]> => {
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace: OPERATOR },
    );
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map(({ metadata }) => metadata.name)
      .sort();
  };
  const log = async (): Promise<string> => {
    const names = await pods();
    const logs = names.map(async (name) => await cluster.logs({ namespace: OPERATOR, name }));
    return (await Promise.all(logs)).join('\n');
  };
  return {
    place,
    publish: async (series) => {
      const options = ['--to', place, '--series', series, '--no-statements', '--json'];
      const answer = await node.done('publish', ...options);
      return (JSON.parse(answer) as { readonly digest: string }).digest;
    },
    change: async (more, annotations = {}) => {
      spec = { ...spec, ...more };
      const { apiVersion, kind, ...metadata } = RELEASE;
      const outcome = await cluster.apply(
        { apiVersion, kind, metadata: { ...metadata, annotations }, spec },
        { fieldManager: 'user', force: true },
      );
      expect(outcome).toMatchObject({ outcome: 'applied' });
    },
    resource,
    until: async (is, meanwhile = async () => undefined) => {
      for (const start = Date.now(); ; await delay(500)) {
        const live = await resource();
        const seconds = Math.round((Date.now() - start) / 100) / 10;
        if (live !== undefined && is(live)) return [live, seconds];
        if (Date.now() - start > LONGEST_MS)
          throw new Error(`${await log()}\n${JSON.stringify(live?.status, undefined, 1)}`);
        await meanwhile(seconds);
      }
    },
    pods,
    install: async (replicas) => {
      await node.done('operator', 'install', SITE, '--replicas', String(replicas));
      const ref = {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: OPERATOR,
        namespace: OPERATOR,
      };
      await expect
        .poll(async () => (await cluster.get(ref))?.['status'], { timeout: 180_000 })
        .toMatchObject({ readyReplicas: replicas, updatedReplicas: replicas, replicas });
    },
    leader: async () => {
      const { items } = await cluster.list(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' },
        { namespace: OPERATOR },
      );
      const holders = items.map(
        (lease) => (lease['spec'] as { readonly holderIdentity?: string }).holderIdentity ?? '',
      );
      const found = (await pods()).find((name) => holders.some((holder) => holder.includes(name)));
      if (found === undefined) throw new Error(`no leader: ${holders.join(', ')}`);
      return found;
    },
    metrics: async () => {
      const text = await node.inPod({
        image: `ccp.local/openstackclient@${node.digest('openstackclient')}`,
        command: ['python3', '-c', ADDRESSES],
      });
      return text.split('\n');
    },
    close: async () => await registry.close(),
  };
}
