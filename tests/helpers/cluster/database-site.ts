import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startDatabaseClient, type DatabaseClient } from './database-client.ts';
import { namespace, startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { nodeProcesses, type NodeProcesses } from './node-processes.ts';

const SITE = 'database';
const WAIT_MS = 420_000;

/** The effect of one fault on the writer. Times are in seconds. */
export interface FaultResult {
  readonly series: string;
  readonly fault: string;
  /** Until all members served again. */
  readonly back: number;
  /** Longest time without a commit. */
  readonly gap: number;
  readonly rows: number;
  readonly errors: number;
}

/** A site with MariaDB on a node of its own, with a writer. */
export interface DatabaseSite {
  readonly node: NodeCluster;
  readonly processes: NodeProcesses;
  readonly client: DatabaseClient;
  readonly results: readonly FaultResult[];
  /** Names of members, lowest ordinal first. */
  members(count?: number): readonly string[];
  /** The DNS name of a member. */
  host(member: string): string;
  scale(members: number): Promise<void>;
  apply(): Promise<void>;
  /** Deletes pods together. Without `grace` they have the time of their app spec. */
  deletePods(members: readonly string[], grace?: number): Promise<void>;
  /** Kills pods together and deletes the claims of `lost`. */
  killAndLose(killed: readonly string[], lost: readonly string[]): Promise<void>;
  /** Folder of a member's claim on this machine. */
  claim(member: string): Promise<string>;
  /** Address of a member's pod. */
  address(member: string): Promise<string>;
  /** Waits until these members form one cluster that serves. */
  together(members?: readonly string[]): Promise<void>;
  /**
   * Runs a fault under the writer and waits until all members are together. No committed row is
   * lost, and each is read by the request after its commit.
   */
  under(fault: string, run: () => Promise<void>): Promise<FaultResult>;
  stop(): Promise<void>;
}

const siteText = (series: string, members: number): string => `schema: 1.0.0
cluster: { context: ccp }
namespace: ${namespace}
series: "${series}"
registry: ccp.local
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: folder }
apps: { mariadb: { replicas: { mariadb: ${members} } } }
`;

/** Starts a cluster with three members of a series. Needs root. */
export async function openDatabaseSite(series: string): Promise<DatabaseSite> {
  const node = await startNodeCluster(
    ['openstack-base', 'mariadb'],
    SITE,
    (workspace) => workspace.write(`deploy-specs/${SITE}/site.yaml`, siteText(series, 3)),
    series,
  );
  const { cluster } = node;
  let count = 3;
  const results: FaultResult[] = [];
  const members = (of = count): readonly string[] =>
    Array.from({ length: of }, (_, ordinal) => `mariadb-${ordinal}`);
  const host = (member: string): string => `${member}.mariadb-peers`;
  const pod = (name: string) => ({ apiVersion: 'v1', kind: 'Pod', name, namespace });
  const claimOf = (member: string) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    name: `data-${member}`,
    namespace,
  });
  const apply = async (): Promise<void> => void (await node.done('deploy', 'apply', SITE));
  try {
    await apply();
    const processes = nodeProcesses(node.folder);
    const client = await startDatabaseClient(
      cluster,
      `ccp.local/openstack-base@${node.digest('openstack-base')}`,
    );
    const deletePods = async (names: readonly string[], grace?: number): Promise<void> =>
      void (await Promise.all(
        names.map((name) =>
          cluster.delete(pod(name), grace === undefined ? {} : { gracePeriodSeconds: grace }),
        ),
      ));
    const together = async (names = members()): Promise<void> => {
      const seen = async (name: string): Promise<string> => {
        const rows = await client.query(
          "SHOW STATUS WHERE Variable_name IN ('wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_local_state_comment')",
          host(name),
        );
        return rows
          .map(([, value]) => value)
          .sort()
          .join(' ');
      };
      let last = '';
      for (const until = Date.now() + WAIT_MS; Date.now() < until; await delay(500)) {
        last = (
          await Promise.all(
            names.map((name) => seen(name).catch((thrown: Error) => thrown.message)),
          )
        ).join('; ');
        const ready = await Promise.all(
          names.map(async (name) => isReady(await cluster.get(pod(name)))),
        );
        if (
          ready.every(Boolean) &&
          last === names.map(() => `${names.length} Primary Synced`).join('; ')
        )
          return;
      }
      const logs = await Promise.all(
        names.map(
          async (name) => `${name}:\n${await cluster.logs({ namespace, name }, { tail: 25 })}`,
        ),
      );
      throw new Error(`not together after ${WAIT_MS / 1000} s: ${last}\n${logs.join('\n')}`);
    };
    await together();
    return {
      node,
      processes,
      client,
      results,
      members,
      host,
      apply,
      deletePods,
      together,
      scale: async (to) => {
        if (to > 0) count = to;
        await node.done('deploy', 'scale', SITE, `mariadb.mariadb=${to}`);
      },
      killAndLose: async (killed, lost) => {
        await Promise.all(lost.map((member) => cluster.delete(claimOf(member))));
        for (const member of killed) processes.kill(member);
        await deletePods(killed, 0);
      },
      claim: async (member) => {
        const claim = await cluster.get(claimOf(member));
        const { volumeName } = claim!['spec'] as { readonly volumeName: string };
        const volume = await cluster.get({
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          name: volumeName,
        });
        return (volume!['spec'] as { readonly local: { readonly path: string } }).local.path;
      },
      address: async (member) =>
        ((await cluster.get(pod(member)))!['status'] as { readonly podIP: string }).podIP,
      under: async (fault, run) => {
        await client.reset();
        const from = Date.now();
        await run();
        await together();
        const back = (Date.now() - from) / 1000;
        await delay(1500);
        const { rows, gap, errors, stale, text } = await client.report();
        const lost = await Promise.all(members().map((member) => client.missing(host(member))));
        const result = { series, fault, back, gap: Math.round(gap * 10) / 10, rows, errors };
        console.log(
          `${series}: ${fault}: back after ${back} s, ${result.gap} s without a write, ${rows} rows, lost ${Math.max(...lost.map(({ length }) => length))}, stale ${stale}, errors ${errors} ${text}`,
        );
        expect({ lost, stale }).toEqual({ lost: members().map(() => []), stale: 0 });
        expect(rows).toBeGreaterThan(0);
        results.push(result);
        return result;
      },
      stop: node.stop,
    };
  } catch (thrown) {
    await node.stop();
    throw thrown;
  }
}

function isReady(pod: Awaited<ReturnType<NodeCluster['cluster']['get']>>): boolean {
  const { conditions = [] } = (pod?.['status'] ?? {}) as {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return (
    pod?.metadata.deletionTimestamp === undefined &&
    conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}
