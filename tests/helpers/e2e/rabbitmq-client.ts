import type { Replicas } from './replicas.ts';

/**
 * Sends messages with confirmation to the durable queue named after its kind, or reads and prints
 * all messages.
 */
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

/** The member, the queue, and the Secret with the administrator's password. */
export interface QueueTarget {
  readonly ordinal: number;
  readonly kind: 'quorum' | 'classic';
  readonly admin: string;
}

/**
 * Sends messages through one member, or without messages reads the whole queue. Throws if it fails.
 */
export async function rabbitmqClient(
  { open, place }: Replicas,
  { ordinal, kind, admin }: QueueTarget,
  ...messages: readonly string[]
): Promise<readonly string[]> {
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

/** Runs a RabbitMQ command in a member; resolves with its JSON output. Throws if it fails. */
export async function queryMember(
  rabbitmq: Replicas,
  ordinal: number,
  ...command: readonly string[]
): Promise<unknown> {
  const { exitCode, stdout, stderr } = await rabbitmq
    .node(ordinal)
    .exec([...command, '--formatter', 'json', '--quiet']);
  if (exitCode !== 0) throw new Error(`node ${ordinal}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Number of running members in one member's view. */
export async function runningMembers(rabbitmq: Replicas, ordinal: number): Promise<number> {
  return (
    (await queryMember(rabbitmq, ordinal, 'rabbitmqctl', 'cluster_status')) as {
      running_nodes: unknown[];
    }
  ).running_nodes.length;
}
