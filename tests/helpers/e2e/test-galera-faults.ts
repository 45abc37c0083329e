import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withValues } from '#site';
import { eventually } from './eventually.ts';
import { openReplicas, type Replicas } from './replicas.ts';

const ALL = [0, 1, 2];

/**
 * Tests faults of a cluster of three members in both series: the gravest faults, or `every` fault.
 */
export function testGaleraFaults({ every }: { readonly every: boolean }): void {
  describe.each(['2025.2', '2026.1'])('MariaDB of %s', (series) => {
    testSeries(series, every);
  });
}

function testSeries(series: string, every: boolean): void {
  let mariadb: Replicas;
  let next = 1;

  /** The answer of a node, with its rows as lines; throws if it does not answer. */
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
  const size = async (ordinal: number): Promise<number> =>
    Number((await query(ordinal, "SHOW STATUS LIKE 'wsrep_cluster_size'")).split('\t')[1]);
  const together = (ordinals: readonly number[] = ALL): Promise<void> =>
    eventually(async () =>
      expect(await Promise.all(ordinals.map(size))).toEqual(ordinals.map(() => ordinals.length)),
    );

  /**
   * Writes rows one after the other, by any member, while `fault` happens; every row that a member
   * took must be on all of them.
   */
  async function under(name: string, fault: () => Promise<void>): Promise<void> {
    const taken: number[] = [];
    let [going, last, gap] = [true, Date.now(), 0];
    const writing = (async () => {
      while (going) {
        const id = next++;
        const write = async (): Promise<void> => {
          for (const ordinal of ALL) {
            const done = await query(ordinal, `INSERT INTO probe.rows VALUES (${id})`).catch(
              () => undefined,
            );
            if (done === undefined) continue;
            taken.push(id);
            [gap, last] = [Math.max(gap, Date.now() - last), Date.now()];
            return;
          }
        };
        await write();
        await delay(20);
      }
    })();
    await delay(1000);
    const from = Date.now();
    await fault();
    await together();
    const back = Date.now() - from;
    await delay(1000);
    going = false;
    await writing;
    for (const ordinal of ALL) {
      const there = new Set(
        (await query(ordinal, 'SET SESSION wsrep_sync_wait = 1; SELECT id FROM probe.rows')).split(
          '\n',
        ),
      );
      expect(taken.filter((id) => !there.has(String(id)))).toEqual([]);
    }
    console.log(
      `${series}: ${name}: back after ${back / 1000} s, longest gap ${gap / 1000} s, rows ${taken.length}, lost 0`,
    );
  }

  beforeAll(async () => {
    mariadb = await openReplicas('mariadb', 'mariadb', [series]);
  });
  afterAll(async () => {
    await mariadb?.close();
  });

  test('three empty pods that start at once form one cluster', async () => {
    await mariadb.start(...ALL);
    await together();
    await query(0, 'CREATE DATABASE probe; CREATE TABLE probe.rows (id INT PRIMARY KEY)');
  });

  test.each(every ? [0, 300, 3000] : [0])(
    'all come back after SIGTERM, %i ms apart',
    async (apart) => {
      await under(`SIGTERM ${apart} ms apart`, async () => {
        await Promise.all(
          ALL.map(async (ordinal) => (await delay(ordinal * apart), await mariadb.stop(ordinal))),
        );
        await mariadb.start(...ALL);
      });
    },
  );

  test.each(every ? [[[2]], [[0, 1]], [ALL]] : [[ALL]])(
    '%j come back after SIGKILL',
    async (ordinals) => {
      await under(`SIGKILL of ${ordinals.length}`, async () => {
        await mariadb.kill(...ordinals);
        await mariadb.start(...ordinals);
      });
    },
  );

  test.each(every ? [[[0]], [[1]], [[2]], [[0, 1]], [[1, 2]]] : [[[0]]])(
    'the data is kept where all are killed and the volumes %j are lost',
    async (lost) => {
      await under(`SIGKILL of all, volumes ${lost.join(' and ')} lost`, async () => {
        await mariadb.kill(...ALL);
        lost.forEach((ordinal) => mariadb.lose(ordinal));
        await mariadb.start(...ALL);
      });
    },
  );

  test.each(every ? ALL : [2])(
    'the data is kept where all stop and the volume %i is lost',
    async (lost) => {
      await under(`SIGTERM of all, volume ${lost} lost`, async () => {
        await mariadb.stop(...ALL);
        mariadb.lose(lost);
        await mariadb.start(...ALL);
      });
    },
  );

  test.each(every ? [2] : [])('ignores a wrong safe_to_bootstrap of member %i', async (wrong) => {
    await under('safe_to_bootstrap of an empty member', async () => {
      await mariadb.kill(...ALL);
      mariadb.lose(0);
      const file = join(mariadb.claim(wrong), 'data/grastate.dat');
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replace('safe_to_bootstrap: 0', 'safe_to_bootstrap: 1'),
      );
      await mariadb.start(...ALL);
    });
  });

  test('lets a person decide if a member is lost, and sets its data aside', async () => {
    const { action, run } = {
      action: mariadb.open.site.actions.find(({ id }) => id === 'mariadb/recover')!,
      run: (accept: boolean) =>
        mariadb.open.pods.finish(
          withValues(action.job, action.parameters, { 'accept-loss': accept }),
          mariadb.place(2),
        ),
    };
    for (const ordinal of [0, 1]) {
      await mariadb.stop(ordinal);
      await delay(3000);
    }
    await query(2, 'INSERT INTO probe.rows VALUES (-1)');
    await mariadb.kill(2);
    const started = mariadb.start(0, 1);
    await eventually(async () =>
      expect(await run(false).catch((error: Error) => error.message)).toMatch(
        /mariadb-1 founds the cluster\nwould be lost: transactions after \d+ that only mariadb-2 could have, which does not answer; its data is set aside when it comes back\nnothing was changed; to accept the loss: --param accept-loss=true\n/,
      ),
    );
    expect((await run(true)).stdout).toContain('mariadb-1 serves\n');
    await started;
    await together([0, 1]);
    await mariadb.start(2);
    await together();
    expect(await query(2, 'SELECT COUNT(*) FROM probe.rows WHERE id = -1')).toBe('0');
    expect((await mariadb.node(2).exec(['ls', '/var/lib/mysql'])).stdout).toMatch(/^aside-/m);
  });
}
