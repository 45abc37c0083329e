import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from './engine-site.ts';
import { openPodNetwork, type PodNetwork } from './pod-network.ts';
import { eventually } from './eventually.ts';

// Three pods of mariadb's StatefulSet, each with its own network and data.
let open: EngineSite;
let network: PodNetwork;
const nodes: RunningContainer[] = [];

const start = async (ordinal: number): Promise<void> => {
  const statefulSet = open.object('StatefulSet', 'mariadb');
  nodes[ordinal] = await open.pods.start(statefulSet, network.place(statefulSet, ordinal));
};

/** What a node answers, its rows as lines; raises where it does not. */
async function query(ordinal: number, sql: string): Promise<string> {
  const { exitCode, stdout, stderr } = await nodes[ordinal]!.exec(['mariadb', '--defaults-file=/run/mysqld/client.cnf', '--batch', '--skip-column-names', '--execute', sql]);
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return stdout.trim();
}

const size = async (ordinal: number): Promise<number> => Number((await query(ordinal, "SHOW STATUS LIKE 'wsrep_cluster_size'")).split('\t')[1]);
const rows = (ordinal: number): Promise<string> => query(ordinal, 'SELECT COUNT(*), SUM(id) FROM probe.rows');
const write = (ordinal: number, ...ids: readonly number[]): Promise<string> => query(ordinal, `INSERT INTO probe.rows VALUES ${ids.map((id) => `(${id})`).join(', ')}`);

async function kill(ordinal: number): Promise<void> {
  await nodes[ordinal]!.signal('KILL');
  await nodes[ordinal]!.wait();
}

beforeAll(async () => {
  open = await openEngineSite(['mariadb'], '{ mariadb: { replicas: { mariadb: 3 } } }');
  network = await openPodNetwork(open.engine, open.objects, open.imageOf('openstack-base'), open.folder);
});

afterAll(async () => {
  await network?.close();
  await open?.close();
});

test('three empty pods that start at once form one cluster', async () => {
  await Promise.all([0, 1, 2].map(start));
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  await query(0, 'CREATE DATABASE probe; CREATE TABLE probe.rows (id INT PRIMARY KEY)');
  await write(1, 1, 2);
  await eventually(async () => expect(await rows(2)).toBe('2\t3'));
});

test('a killed node is left behind, writes go on, and it rejoins with what it missed', async () => {
  await kill(2);
  const before = Date.now();
  await eventually(() => write(0, 10));
  console.log(`the first write after a node was killed took ${Date.now() - before} ms`);
  await write(1, 20);
  await eventually(async () => expect(await Promise.all([0, 1].map(size))).toEqual([2, 2]));
  await start(2);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  expect(await rows(2)).toBe('4\t33');
});

test('all nodes come back after they were killed at once', async () => {
  await Promise.all([0, 1, 2].map(kill));
  await Promise.all([0, 1, 2].map(start));
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  await write(2, 100);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(rows))).toEqual(['5\t133', '5\t133', '5\t133']));
});

test('the node that was stopped last founds the cluster again', async () => {
  for (const ordinal of [0, 2, 1]) {
    await nodes[ordinal]!.signal('TERM');
    expect(await nodes[ordinal]!.wait()).toBe(0);
    if (ordinal === 2) await write(1, 1000);
  }
  await Promise.all([0, 1, 2].map(start));
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(rows))).toEqual(['6\t1133', '6\t1133', '6\t1133']));
});
