import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/e2e/eventually.ts';
import { queryMember, rabbitmqClient, runningMembers } from '../helpers/e2e/rabbitmq-client.ts';
import { openReplicas, type Replicas } from '../helpers/e2e/replicas.ts';

let rabbitmq: Replicas;
const all = [0, 1, 2];
const ROTATED = 'generations: { admin: 2, cookie: 2 }';
/** Secret with the administrator's password. */
let admin = 'rabbitmq-admin';

/**
 * Sends messages with confirmation to the quorum queue through one node, or without messages reads
 * the whole queue. Throws if it fails.
 */
const client = (ordinal: number, ...messages: readonly string[]): Promise<readonly string[]> =>
  clientOf('quorum', ordinal, ...messages);

const clientOf = (
  kind: 'quorum' | 'classic',
  ordinal: number,
  ...messages: readonly string[]
): Promise<readonly string[]> => rabbitmqClient(rabbitmq, { ordinal, kind, admin }, ...messages);
const ask = (ordinal: number, ...command: readonly string[]): Promise<unknown> =>
  queryMember(rabbitmq, ordinal, ...command);
const running = (ordinal: number): Promise<number> => runningMembers(rabbitmq, ordinal);
const queue = async (ordinal: number) =>
  (
    (await ask(ordinal, 'rabbitmqctl', 'list_queues', 'name', 'type', 'leader', 'online')) as {
      type: string;
      leader: string;
      online: string[];
    }[]
  ).find(({ type }) => type === 'quorum')!;

beforeAll(async () => {
  rabbitmq = await openReplicas('rabbitmq');
});

afterAll(async () => {
  await rabbitmq?.close();
});

it('forms one cluster from three pods that start together', async () => {
  await rabbitmq.start(...all);
  // Each query starts an Erlang virtual machine, so only one node is queried until it has all
  // members.
  await eventually(async () => expect(await running(0)).toBe(3));
  await eventually(async () => expect(await Promise.all(all.map(running))).toEqual([3, 3, 3]));
});

it('keeps the queue available when its leader is killed, and the node rejoins', async () => {
  await client(0, 'one');
  await eventually(async () =>
    expect(await queue(1)).toMatchObject({ type: 'quorum', online: { length: 3 } }),
  );
  const leader = Number(/^rabbit@rabbitmq-(\d)\./.exec((await queue(1)).leader)![1]);
  const [other, third] = all.filter((ordinal) => ordinal !== leader) as [number, number];
  await rabbitmq.kill(leader);
  const before = Date.now();
  await eventually(() => client(other, 'two'));
  console.log(`the first message after the leader was killed took ${Date.now() - before} ms`);
  await client(third, 'three');
  await rabbitmq.start(leader);
  await eventually(async () => expect(await running(other)).toBe(3));
  await eventually(async () => expect((await queue(leader)).online.length).toBe(3));
  await client(leader, 'four');
  expect(await client(third)).toEqual(['one', 'two', 'three', 'four']);
});

it('keeps all confirmed messages when all nodes are killed together', async () => {
  await client(0, 'five', 'six');
  await rabbitmq.kill(...all);
  await rabbitmq.start(...all);
  await eventually(async () => expect(await client(2)).toEqual(['five', 'six']));
});

it("sets a rotated administrator's password in the first restarted pod, and a rotated cookie after all pods stopped", async () => {
  await client(0, 'rotated');
  await rabbitmq.become('{ rabbitmq: { replicas: { rabbitmq: 3 }, generations: { admin: 2 } } }');
  const taken: string[] = [];
  for (const ordinal of [2, 1, 0]) {
    await rabbitmq.stop(ordinal);
    await rabbitmq.start(ordinal);
    admin = 'rabbitmq-admin-g2';
    for (const each of all) taken.push(...(await client(each)));
  }
  expect(taken).toEqual(['rotated']);
  await rabbitmq.become(`{ rabbitmq: { replicas: { rabbitmq: 3 }, ${ROTATED} } }`);
  await client(0, 'kept');
  await rabbitmq.stop(...all);
  await rabbitmq.start(...all);
  await eventually(async () => expect(await Promise.all(all.map(running))).toEqual([3, 3, 3]));
  await eventually(async () => expect(await client(2)).toEqual(['kept']));
});

it('removes members before their pods are deleted, unless they have the only copy of messages, and adds them again with new pods', async () => {
  const act = (name: string, apps: string): Promise<unknown> =>
    rabbitmq.open.pods.finish(
      rabbitmq.open.layOut(apps).actions.find(({ id }) => id === `rabbitmq/${name}`)!.job,
      rabbitmq.place(0),
    );
  const [one, three] = [
    `{ rabbitmq: { ${ROTATED} } }`,
    `{ rabbitmq: { replicas: { rabbitmq: 3 }, ${ROTATED} } }`,
  ];
  await client(0, 'seven');
  await clientOf('classic', 2, 'eight');
  await expect(act('forget-members', one)).rejects.toThrow(
    /rabbitmq-2\.\S+ has messages that would be lost: 1 in classic of \/;/,
  );
  expect(await clientOf('classic', 2)).toEqual(['eight']);
  await act('forget-members', one);
  await rabbitmq.kill(1, 2);
  expect(await running(0)).toBe(1);
  await client(0, 'nine');
  await rabbitmq.start(1, 2);
  await eventually(async () => expect(await running(0)).toBe(3));
  expect((await queue(0)).online.length).toBe(1);
  await act('grow-queues', three);
  await eventually(async () => expect((await queue(0)).online.length).toBe(3));
  expect(await client(1)).toEqual(['seven', 'nine']);
  await rabbitmq.kill(2);
  await act('forget-members', one);
  expect(await running(0)).toBe(1);
  await client(0, 'ten');
});
