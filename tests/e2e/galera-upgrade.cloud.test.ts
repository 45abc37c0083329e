import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/e2e/eventually.ts';
import { openReplicas, type Replicas } from '../helpers/e2e/replicas.ts';

const [OLD, NEW] = ['2025.2', '2026.1'] as const;
const ALL = [0, 1, 2];
const APPS = '{ mariadb: { replicas: { mariadb: 3 } } }';

let mariadb: Replicas;
let committed = 0;

async function query(ordinal: number, sql: string): Promise<string> {
  const { exitCode, stdout, stderr } = await mariadb
    .node(ordinal)
    .exec([
      'mariadb',
      '--defaults-file=/run/mysqld/client.cnf',
      '--batch',
      '--skip-column-names',
      '--execute',
      sql,
    ]);
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return stdout.trim();
}

/** Starts members together, those in `upgraded` with the new series. */
async function start(ordinals: readonly number[], upgraded: readonly number[]): Promise<void> {
  const started: Promise<void>[] = [];
  for (const series of [OLD, NEW]) {
    await mariadb.become(APPS, series);
    const of = ordinals.filter((ordinal) => upgraded.includes(ordinal) === (series === NEW));
    if (of.length > 0) started.push(mariadb.start(...of));
  }
  await Promise.all(started);
}

const write = async (ordinal: number): Promise<void> => {
  await query(ordinal, `INSERT INTO probe.rows VALUES (${committed + 1})`);
  committed++;
};

/** Waits until all members are in one cluster, and expects every committed row on each. */
async function complete(): Promise<void> {
  await eventually(async () => {
    const sizes = await Promise.all(
      ALL.map((ordinal) => query(ordinal, "SHOW STATUS LIKE 'wsrep_cluster_size'")),
    );
    expect(sizes).toEqual(ALL.map(() => 'wsrep_cluster_size\t3'));
  });
  for (const ordinal of ALL)
    expect(
      await query(ordinal, 'SET SESSION wsrep_sync_wait = 1; SELECT COUNT(*) FROM probe.rows'),
    ).toBe(String(committed));
}

beforeAll(async () => {
  mariadb = await openReplicas('mariadb', 'mariadb', [OLD, NEW]);
  await start(ALL, []);
  await query(0, 'CREATE DATABASE probe; CREATE TABLE probe.rows (id INT PRIMARY KEY)');
});
afterAll(async () => {
  await mariadb?.close();
});

it.each([[[2]], [[1, 2]]])(
  'keeps all rows if all members are killed when %j are upgraded',
  async (upgraded) => {
    const last = upgraded[0]!;
    await write(0);
    await mariadb.stop(last);
    await write(0);
    await start([last], upgraded);
    await write(last);
    await mariadb.kill(...ALL);
    await start(ALL, upgraded);
    await complete();
  },
);

it('keeps all rows if all members stop together when two are upgraded', async () => {
  await write(1);
  await mariadb.stop(...ALL);
  await start(ALL, [1, 2]);
  await complete();
});

it('keeps all rows if all are killed and an upgraded volume is lost, and ends the upgrade', async () => {
  await write(2);
  await mariadb.kill(...ALL);
  mariadb.lose(2);
  await start(ALL, [1, 2]);
  await complete();
  await mariadb.stop(0);
  await start([0], ALL);
  await write(0);
  await complete();
});
