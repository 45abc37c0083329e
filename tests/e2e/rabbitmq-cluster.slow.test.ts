import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { openReplicas, type Replicas } from './replicas.ts';

// A queue of each kind on three pods.
const CLIENT = `
import amqp, os, sys

connection = amqp.Connection("127.0.0.1:5672", userid="admin", password=os.environ["PASSWORD"], confirm_publish=True, connect_timeout=10, read_timeout=30, write_timeout=30)
connection.connect()
channel = connection.channel()
kind, *bodies = sys.argv[1:]
channel.queue_declare(kind, durable=True, auto_delete=False, arguments={"x-queue-type": kind})
for body in bodies:
    channel.basic_publish(amqp.Message(body), routing_key=kind)
if not bodies:
    while message := channel.basic_get(kind):
        print(message.body)
        channel.basic_ack(message.delivery_tag)
connection.close()
`;

let rabbitmq: Replicas;
const all = [0, 1, 2];
const ROTATED = 'generations: { admin: 2, cookie: 2 }';
/** The Secret with the administrator's password. */
let admin = 'rabbitmq-admin';

/** Stops pods at once as Kubernetes does; resolves when all have ended. */
async function stop(...ordinals: readonly number[]): Promise<void> {
  await Promise.all(ordinals.map(async (ordinal) => (await rabbitmq.node(ordinal).signal('TERM'), await rabbitmq.node(ordinal).wait())));
}

/** Sends messages to the quorum queue by one node, each confirmed, or takes all of it where there are none; raises where it cannot. */
const client = (ordinal: number, ...messages: readonly string[]): Promise<readonly string[]> => clientOf('quorum', ordinal, ...messages);

async function clientOf(kind: 'quorum' | 'classic', ordinal: number, ...messages: readonly string[]): Promise<readonly string[]> {
  const { open, place } = rabbitmq;
  const password = open.pods.secrets.read(admin)['password'] as string;
  const spec = {
    image: open.imageOf('openstack-base'),
    entrypoint: ['/opt/openstack/bin/python', '-c', CLIENT],
    command: [kind, ...messages],
    env: { PASSWORD: password },
    network: place(ordinal).network as string,
  };
  const { exitCode, stdout, stderr } = await open.engine.run(spec, { timeoutMs: 60_000 });
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

async function ask(ordinal: number, ...command: readonly string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await rabbitmq.node(ordinal).exec([...command, '--formatter', 'json', '--quiet']);
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return JSON.parse(stdout);
}

const running = async (ordinal: number): Promise<number> =>
  ((await ask(ordinal, 'rabbitmqctl', 'cluster_status')) as { running_nodes: unknown[] }).running_nodes.length;
const queue = async (ordinal: number) =>
  ((await ask(ordinal, 'rabbitmqctl', 'list_queues', 'name', 'type', 'leader', 'online')) as { type: string; leader: string; online: string[] }[]).find(
    ({ type }) => type === 'quorum',
  )!;

beforeAll(async () => {
  rabbitmq = await openReplicas('rabbitmq');
});

afterAll(async () => {
  await rabbitmq?.close();
});

test('three pods that start at once form one cluster', async () => {
  await rabbitmq.start(...all);
  // Each question starts a virtual machine of Erlang, so one node is asked until it knows all.
  await eventually(async () => expect(await running(0)).toBe(3));
  await eventually(async () => expect(await Promise.all(all.map(running))).toEqual([3, 3, 3]));
});

test('the queue goes on when the node that leads it is killed, and the node rejoins', async () => {
  await client(0, 'one');
  await eventually(async () => expect(await queue(1)).toMatchObject({ type: 'quorum', online: { length: 3 } }));
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

test('no confirmed message is lost when all nodes are killed at once', async () => {
  await client(0, 'five', 'six');
  await rabbitmq.kill(...all);
  await rabbitmq.start(...all);
  await eventually(async () => expect(await client(2)).toEqual(['five', 'six']));
});

test('a rotated password of the administrator is set by the first pod that starts with it, and a rotated cookie by all pods that stop together', async () => {
  await client(0, 'rotated');
  await rabbitmq.become('{ rabbitmq: { replicas: { rabbitmq: 3 }, generations: { admin: 2 } } }');
  const taken: string[] = [];
  for (const ordinal of [2, 1, 0]) {
    await stop(ordinal);
    await rabbitmq.start(ordinal);
    admin = 'rabbitmq-admin-g2';
    for (const each of all) taken.push(...(await client(each)));
  }
  expect(taken).toEqual(['rotated']);
  await rabbitmq.become(`{ rabbitmq: { replicas: { rabbitmq: 3 }, ${ROTATED} } }`);
  await client(0, 'kept');
  await stop(...all);
  await rabbitmq.start(...all);
  await eventually(async () => expect(await Promise.all(all.map(running))).toEqual([3, 3, 3]));
  await eventually(async () => expect(await client(2)).toEqual(['kept']));
});

test('members leave before their pods are taken away: a queue of several goes on, messages that one alone has hold it up; pods that come again are members anew', async () => {
  const act = (name: string, apps: string): Promise<unknown> =>
    rabbitmq.open.pods.finish(rabbitmq.open.layOut(apps).actions.find(({ id }) => id === `rabbitmq/${name}`)!.job, rabbitmq.place(0));
  const [one, three] = [`{ rabbitmq: { ${ROTATED} } }`, `{ rabbitmq: { replicas: { rabbitmq: 3 }, ${ROTATED} } }`];
  await client(0, 'seven');
  await clientOf('classic', 2, 'eight');
  await expect(act('forget-members', one)).rejects.toThrow(/rabbitmq-2\.\S+ has messages that would be lost: 1 in classic of \/;/);
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
