import { readdirSync } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { withValues } from '#site';
import { ALL, type BusSite } from './bus-site.ts';
import { eventually } from './eventually.ts';
import { queryMember } from './rabbitmq-client.ts';

const THREE = '{ rabbitmq: { replicas: { rabbitmq: 3 } } }';
const ONE = '{ rabbitmq: {} }';

/** Runs an action of the app; throws with its output if it fails. */
async function act(
  { replicas: { open, place } }: BusSite,
  name: string,
  { apps = THREE, ...values }: Readonly<Record<string, string | boolean>> = {},
): Promise<string> {
  const action = open.layOut(String(apps)).actions.find(({ id }) => id === `rabbitmq/${name}`)!;
  const job = withValues(action.job, action.parameters, values);
  return (await open.pods.finish(job, place(0))).stdout;
}

/** Gives queues replicas on members that came later. */
const growQueues = (site: BusSite): Promise<unknown> =>
  eventually(() => act(site, 'grow-queues'), 60);

/** Tests members that leave, come back and are new, under the client. */
export function testMembership(current: () => BusSite): void {
  let site: BusSite;
  beforeAll(() => void (site = current()));

  it('sets the data of a member aside that comes back after it was forgotten', async () => {
    await site.under('old identity of 2', async () => {
      const { replicas } = site;
      await replicas.kill(2);
      const { members } = await membership(site);
      await eventually(async () => {
        const forget = ['forget_cluster_node', members.find((name) => name.includes('-2.'))!];
        const { exitCode, stderr } = await replicas.node(0).exec(['rabbitmqctl', ...forget]);
        expect(exitCode, stderr).toBe(0);
      });
      expect((await membership(site)).members).toHaveLength(2);
      await site.start(2);
      expect(await replicas.node(2).logs()).toContain('its cluster has gone on without it');
      expect(readdirSync(replicas.claim(2)).join()).toMatch(/aside-\d{8}T\d{6}/);
      await growQueues(site);
    });
  });

  it('shrinks to one member and grows to three again, without a restart of it', async () => {
    await site.under('shrink to 1, grow to 3', async () => {
      const { replicas } = site;
      await act(site, 'forget-members', { apps: ONE });
      await replicas.kill(1, 2);
      const { started } = await membership(site);
      await site.start(1, 2);
      await growQueues(site);
      expect((await membership(site)).started).toBe(started);
    });
  });
}

/** Tests the decision of a person after the loss of most volumes. */
export function testLostMajority(current: () => BusSite): void {
  it('waits for a decision when all are killed and two volumes are lost', async () => {
    const site = current();
    const { replicas } = site;
    await replicas.kill(...ALL);
    [0, 2].forEach((member) => replicas.lose(member));
    const starting = site.start(...ALL);
    starting.catch(() => undefined);
    const from = Date.now();
    // Pods that are not ready have no log in this helper.
    await eventually(() =>
      expect(act(site, 'members')).rejects.toThrow(
        /rabbitmq-0 has no data\nrabbitmq-1 has data of a cluster of 3.*\nrabbitmq-2 has no data\n0 of 3 members serve/,
      ),
    );
    console.log(`the loss was named after ${(Date.now() - from) / 1000} s`);
    await expect(act(site, 'recover')).rejects.toThrow(
      /rabbitmq-1 goes on alone\nwould be lost: messages that only rabbitmq-0, rabbitmq-2 had\nnothing was changed/,
    );
    expect(await act(site, 'recover', { 'accept-loss': true })).toContain('rabbitmq-1 serves');
    await starting;
    await growQueues(site);
    await site.confirms();
    expect(await act(site, 'members')).toContain('3 of 3 members serve');
  });
}

/** Members and the time of start, as member 0 knows them. */
async function membership({ replicas }: BusSite) {
  const status = (await queryMember(replicas, 0, 'rabbitmqctl', 'cluster_status')) as {
    readonly disk_nodes: readonly string[];
  };
  const { stdout } = await replicas.node(0).exec(['cat', '/proc/1/stat']);
  return { members: status.disk_nodes, started: stdout.split(' ')[21] };
}
