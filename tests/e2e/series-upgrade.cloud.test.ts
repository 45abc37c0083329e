import { afterEach, expect, it } from 'vitest';
import { eventually } from '../helpers/e2e/eventually.ts';
import { rabbitmqClient, runningMembers } from '../helpers/e2e/rabbitmq-client.ts';
import { openReplicas, type Replicas } from '../helpers/e2e/replicas.ts';

// Three members of each cluster are upgraded to the next series and back, like by their
// StatefulSets.
const [OLD, NEW] = ['2025.2', '2026.1'];
const ALL = [0, 1, 2];
let members: Replicas | undefined;

afterEach(async () => {
  await members?.close();
  members = undefined;
});

it('restarts RabbitMQ empty in another series, and with its old data after the return', async () => {
  const rabbitmq = (members = await openReplicas('rabbitmq', 'rabbitmq', [OLD, NEW]));
  const client = (ordinal: number, ...messages: readonly string[]) =>
    rabbitmqClient(rabbitmq, { ordinal, kind: 'quorum', admin: 'rabbitmq-admin' }, ...messages);
  const whole = (): Promise<void> =>
    eventually(async () =>
      expect(await Promise.all(ALL.map((ordinal) => runningMembers(rabbitmq, ordinal)))).toEqual([
        3, 3, 3,
      ]),
    );
  const go = async (series: string): Promise<void> => {
    await rabbitmq.become('{ rabbitmq: { replicas: { rabbitmq: 3 } } }', series);
    await rabbitmq.stop(...ALL);
    await rabbitmq.start(...ALL);
    await whole();
  };
  await rabbitmq.start(...ALL);
  await whole();
  await client(0, 'old');
  await go(NEW);
  await client(1, 'new');
  expect(await client(2)).toEqual(['new']);
  await go(OLD);
  expect(await client(1)).toEqual(['old']);
});

it('keeps MariaDB available while members change series one by one, and back', async () => {
  const mariadb = (members = await openReplicas('mariadb', 'mariadb', [OLD, NEW]));
  const query = async (ordinal: number, sql: string): Promise<string> => {
    const client = [
      'mariadb',
      '--defaults-file=/run/mysqld/client.cnf',
      '--batch',
      '--skip-column-names',
      '--execute',
      sql,
    ];
    const { exitCode, stdout, stderr } = await mariadb.node(ordinal).exec(client);
    if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
    return stdout.trim();
  };
  const whole = (): Promise<void> =>
    eventually(async () => {
      const sizes = await Promise.all(
        ALL.map((ordinal) => query(ordinal, "SHOW STATUS LIKE 'wsrep_cluster_size'")),
      );
      expect(sizes.map((line) => line.split('\t')[1])).toEqual(['3', '3', '3']);
    });
  const versions = async (): Promise<string[]> =>
    (await Promise.all(ALL.map((ordinal) => query(ordinal, 'SELECT VERSION()')))).map((version) =>
      version.slice(0, 5),
    );
  await mariadb.start(...ALL);
  await whole();
  await query(
    0,
    'CREATE DATABASE probe; CREATE TABLE probe.rows (id INT PRIMARY KEY); INSERT INTO probe.rows VALUES (1)',
  );
  let id = 1;
  const go = async (series: string): Promise<void> => {
    const before = await versions();
    await mariadb.become('{ mariadb: { replicas: { mariadb: 3 } } }', series);
    for (const ordinal of [2, 1, 0]) {
      await mariadb.stop(ordinal);
      await query((ordinal + 1) % 3, `INSERT INTO probe.rows VALUES (${++id})`);
      await mariadb.start(ordinal);
      await whole();
      expect(await query(ordinal, 'SELECT COUNT(*) FROM probe.rows')).toBe(String(id));
    }
    const after = await versions();
    expect(new Set(after).size).toBe(1);
    expect(after).not.toEqual(before);
  };
  await go(NEW);
  await go(OLD);
});
