import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { openReplicas, type Replicas } from './replicas.ts';

let mariadb: Replicas;

/** What a node answers, its rows as lines; raises where it does not. */
async function query(ordinal: number, sql: string): Promise<string> {
  const { exitCode, stdout, stderr } = await mariadb
    .node(ordinal)
    .exec(['mariadb', '--defaults-file=/run/mysqld/client.cnf', '--batch', '--skip-column-names', '--execute', sql]);
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return stdout.trim();
}

const size = async (ordinal: number): Promise<number> => Number((await query(ordinal, "SHOW STATUS LIKE 'wsrep_cluster_size'")).split('\t')[1]);
const rows = (ordinal: number): Promise<string> => query(ordinal, 'SELECT COUNT(*), SUM(id) FROM probe.rows');
const write = (ordinal: number, ...ids: readonly number[]): Promise<string> =>
  query(ordinal, `INSERT INTO probe.rows VALUES ${ids.map((id) => `(${id})`).join(', ')}`);

beforeAll(async () => {
  mariadb = await openReplicas('mariadb');
});

afterAll(async () => {
  await mariadb?.close();
});

test('three empty pods that start at once form one cluster', async () => {
  await mariadb.start(0, 1, 2);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  await query(0, 'CREATE DATABASE probe; CREATE TABLE probe.rows (id INT PRIMARY KEY)');
  await write(1, 1, 2);
  await eventually(async () => expect(await rows(2)).toBe('2\t3'));
});

test('a killed node is left behind, writes go on, and it rejoins with what it missed', async () => {
  await mariadb.kill(2);
  const before = Date.now();
  await eventually(() => write(0, 10));
  console.log(`the first write after a node was killed took ${Date.now() - before} ms`);
  await write(1, 20);
  await eventually(async () => expect(await Promise.all([0, 1].map(size))).toEqual([2, 2]));
  await mariadb.start(2);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  expect(await rows(2)).toBe('4\t33');
});

test('all nodes come back after they were killed at once', async () => {
  await mariadb.kill(0, 1, 2);
  await mariadb.start(0, 1, 2);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(size))).toEqual([3, 3, 3]));
  await write(2, 100);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(rows))).toEqual(['5\t133', '5\t133', '5\t133']));
});

test('the node that was stopped last founds the cluster again', async () => {
  for (const ordinal of [0, 2, 1]) {
    await mariadb.node(ordinal).signal('TERM');
    expect(await mariadb.node(ordinal).wait()).toBe(0);
    if (ordinal === 2) await write(1, 1000);
  }
  await mariadb.start(0, 1, 2);
  await eventually(async () => expect(await Promise.all([0, 1, 2].map(rows))).toEqual(['6\t1133', '6\t1133', '6\t1133']));
});
