import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabaseSite, type DatabaseSite } from './database-site.ts';
import { testRandomFaults } from './random-database-faults.ts';
import { cutNetwork, mountSmallDisk, startTransfer } from './database-faults.ts';

/** Tests faults of three members on a real node: the short tests that CI runs, or `every` fault. */
export function testDatabaseFaults(series: string, { every }: { readonly every: boolean }): void {
  const isRoot = process.getuid?.() === 0;
  describe.runIf(isRoot)(
    `MariaDB of ${series} on a node (skipped without root, which namespaces need)`,
    () => {
      testFaults(series, every);
    },
  );
}

function testFaults(series: string, every: boolean): void {
  let site: DatabaseSite;
  beforeAll(async () => {
    site = await openDatabaseSite(series);
  });
  afterAll(async () => {
    console.log(JSON.stringify(site?.results));
    await site?.stop();
  });
  it('comes back after all pods are deleted by force', async () => {
    await site.under('forced delete of all pods', () => site.deletePods(site.members(), 0));
  });

  it.each(every ? [0, 1, 2] : [0])(
    'keeps all rows if all members are killed and the volume of member %i is lost',
    async (ordinal) => {
      await site.under(`all killed, volume ${ordinal} lost`, () =>
        site.killAndLose(site.members(), [`mariadb-${ordinal}`]),
      );
    },
  );

  it('comes back after a scale to zero', async () => {
    await site.under('scale to 0 and back', async () => {
      await site.scale(0);
      await site.scale(3);
    });
  });

  if (!every) return;
  testMoreFaults(() => site);
  testRandomFaults(() => site);
}

function testMoreFaults(current: () => DatabaseSite): void {
  let site: DatabaseSite;
  beforeAll(() => void (site = current()));

  it('comes back after all pods are deleted in order', async () => {
    await site.under('orderly delete of all pods', () => site.deletePods(site.members()));
  });

  it('keeps writing while one member is killed', async () => {
    for (const member of site.members())
      await site.under(`kill of ${member}`, async () => {
        site.processes.kill(member);
        await delay(3000);
      });
  });

  it('comes back after all members are killed', async () => {
    await site.under('kill of all', async () => {
      for (const member of site.members()) site.processes.kill(member);
      await delay(3000);
    });
  });

  it('keeps all rows if all members are killed and two volumes are lost', async () => {
    await site.under('all killed, volumes 0 and 1 lost', () =>
      site.killAndLose(site.members(), ['mariadb-0', 'mariadb-1']),
    );
  });

  it('keeps all rows after the site is deleted and applied', async () => {
    await site.under('delete and apply', async () => {
      await site.node.done('deploy', 'delete', 'database', '--yes');
      await site.apply();
    });
  });

  it('keeps all rows while it grows and shrinks', async () => {
    for (const members of [1, 3, 5, 3, 1, 3])
      await site.under(`scale to ${members}`, () => site.scale(members));
  });

  it('survives the death of the donor during a full transfer', async () => {
    await site.under('donor killed during a full transfer', async () => {
      const donor = await startTransfer(site, 'mariadb-2');
      site.processes.kill(donor);
      await delay(5000);
    });
  });

  it.each(['mariadb-0', 'mariadb-2'])(
    'keeps writing while the disk of %s is full',
    async (member) => {
      const disk = await mountSmallDisk(site, member);
      try {
        await site.together();
        await site.under(`disk of ${member} full for 60 s`, async () => {
          disk.fill();
          await delay(60_000);
          const { gap } = await site.client.report();
          disk.free();
          expect(gap).toBeLessThan(30);
        });
      } finally {
        await disk.remove();
      }
    },
  );

  it.each([
    ['2|1', [['mariadb-0', 'mariadb-1'], ['mariadb-2']]],
    ['1|2', [['mariadb-0'], ['mariadb-1', 'mariadb-2']]],
    ['1|1|1', [['mariadb-0'], ['mariadb-1'], ['mariadb-2']]],
  ])('keeps all rows through a network cut %s', async (name, sides) => {
    await site.under(`network cut ${name} for 60 s`, async () => {
      const heal = await cutNetwork(site, sides);
      await delay(60_000);
      heal();
    });
  });
}
