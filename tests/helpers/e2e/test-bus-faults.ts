import { cpSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { testLostMajority, testMembership } from './test-bus-members.ts';
import { ALL, openBusSite, type BusSite } from './bus-site.ts';
import { cutOff, killed, stopped } from './bus-faults.ts';
import { testRandomBusFaults } from './random-bus-faults.ts';

const CUT_MS = 60_000;

/** Tests faults of three members under a client: the short tests that CI runs, or `every` fault. */
export function testBusFaults(series: string, { every }: { readonly every: boolean }): void {
  describe(`RabbitMQ of ${series}`, () => {
    let site: BusSite;
    beforeAll(async () => {
      site = await openBusSite(series);
    });
    afterAll(async () => {
      console.log(JSON.stringify(site?.results));
      await site?.close();
    });

    it('keeps all messages when all members are killed', async () => {
      await site.under('kill of all', () => killed(site, ALL));
    });

    it('keeps all messages when a killed member lost its volume', async () => {
      await site.under('kill of 0, volume 0 lost', () => killed(site, [0], [0]));
    });

    it('keeps all messages when all are killed and volume 1 is lost', async () => {
      await site.under('kill of all, volume 1 lost', () => killed(site, ALL, [1]));
    });

    if (every) {
      testMoreFaults(() => site);
      testMembership(() => site);
      testRandomBusFaults(() => site);
    }
    testLostMajority(() => site);
  });
}

function testMoreFaults(current: () => BusSite): void {
  let site: BusSite;
  beforeAll(() => void (site = current()));

  it.each([[[0]], [[1]], [[2]], [[0, 1]], [[1, 2]]])(
    'keeps all messages when %j are killed',
    async (members) => {
      await site.under(`kill of ${members.join(', ')}`, () => killed(site, members));
    },
  );

  it.each([0, 300, 3000])('keeps all messages when all stop, %i ms apart', async (apart) => {
    await site.under(`stop of all, ${apart} ms apart`, () => stopped(site, ALL, apart));
  });

  it.each([1, 2])('keeps all messages when member %i lost its volume', async (member) => {
    await site.under(`kill of ${member}, volume ${member} lost`, () =>
      killed(site, [member], [member]),
    );
  });

  it.each([0, 2])('keeps all messages when all are killed and volume %i is lost', async (lost) => {
    await site.under(`kill of all, volume ${lost} lost`, () => killed(site, ALL, [lost]));
  });

  it.each([
    ['2|1', [[0, 1], [2]]],
    ['1|2', [[0], [1, 2]]],
    ['1|1|1', [[0], [1], [2]]],
  ])('keeps all messages through a network cut %s', async (name, sides) => {
    await site.under(`network cut ${name} for ${CUT_MS / 1000} s`, () =>
      cutOff(site, sides, CUT_MS),
    );
  });

  it('goes on without a member that does not come back', async () => {
    await site.under('kill of all, 0 does not come back for a minute', async () => {
      await site.replicas.kill(...ALL);
      await site.start(1, 2);
      await site.confirms();
      await site.start(0);
    });
  });

  it('keeps all messages when a member comes back with older data', async () => {
    await site.under('old data of 2', async () => {
      const claim = site.replicas.claim(2);
      await site.replicas.stop(2);
      cpSync(claim, `${claim}-old`, { recursive: true, preserveTimestamps: true });
      await site.start(2);
      await site.together();
      await site.replicas.kill(2);
      rmSync(claim, { recursive: true });
      cpSync(`${claim}-old`, claim, { recursive: true, preserveTimestamps: true });
      await site.start(2);
    });
  });

  it('stops a majority one member after the other', async () => {
    await site.under('stop of 1 and 2 at once', () => stopped(site, [1, 2], 0));
  });
}
