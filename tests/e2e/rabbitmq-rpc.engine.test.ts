import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';
import { eventually } from '../helpers/e2e/eventually.ts';
import { queryMember, runningMembers } from '../helpers/e2e/rabbitmq-client.ts';
import { openReplicas, type Replicas } from '../helpers/e2e/replicas.ts';

const ALL = [0, 1, 2];
const CLIENT = 3;
const SECONDS = 60;
const PROGRAM = readFileSync(new URL('../helpers/e2e/rpc-client.py', import.meta.url), 'utf8');

interface Result {
  readonly calls: number;
  readonly failed: number;
  /** Longest time without an answer, in seconds. */
  readonly gap: number;
  readonly texts: readonly string[];
  readonly answer: number;
  /** Of 20 fan-outs after the fault. */
  readonly heard: number;
}

/** The options of an app's services in its app spec. */
const optionsOf = (app: string): unknown => {
  const text = readFileSync(join(REPOSITORY, 'images', app, 'app.yaml'), 'utf8');
  const { config } = parse(text) as {
    config: Record<string, { layers: readonly { content: Record<string, unknown> }[] }>;
  };
  return config[`${app}.conf`]!.layers.map(
    ({ content }) => content?.['oslo_messaging_rabbit'],
  ).find((found) => found !== undefined);
};

let rabbitmq: Replicas;

/** Runs the client for some seconds; it prints its result. */
async function rpc(seconds: number): Promise<Result> {
  const password = rabbitmq.open.pods.secrets.read('rabbitmq-admin')['password'] as string;
  const hosts = ALL.map((ordinal) => `admin:${password}@${rabbitmq.place(ordinal).address}:5672`);
  const { exitCode, stdout, stderr } = await rabbitmq.open.engine.run(
    {
      image: rabbitmq.open.imageOf('openstack-base'),
      entrypoint: ['/opt/openstack/bin/python', '-c', PROGRAM],
      command: [],
      env: {
        URL: `rabbit://${hosts.join(',')}//`,
        OPTIONS: JSON.stringify(optionsOf('nova')),
        OSLO_LOCK_PATH: '/tmp',
        SECONDS: String(seconds),
      },
      network: rabbitmq.place(CLIENT).network as string,
    },
    { timeoutMs: 300_000 },
  );
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout) as Result;
}

const queues = async (): Promise<readonly { readonly name: string; readonly type: string }[]> =>
  (await queryMember(rabbitmq, 1, 'rabbitmqctl', 'list_queues', 'name', 'type')) as {
    name: string;
    type: string;
  }[];

beforeAll(async () => {
  rabbitmq = await openReplicas('rabbitmq', 'rabbitmq', undefined, 1);
  await rabbitmq.start(...ALL);
  await eventually(async () => expect(await runningMembers(rabbitmq, 0)).toBe(3));
});

afterAll(async () => {
  await rabbitmq?.close();
});

it('answers calls again soon after a member is killed, and keeps all queues on a majority', async () => {
  expect(optionsOf('neutron')).toEqual(optionsOf('nova'));
  const running = rpc(SECONDS);
  await delay(15_000);
  await rabbitmq.kill(0);
  await delay(15_000);
  await rabbitmq.start(0);
  const result = await running;
  console.log(
    `a member killed during ${SECONDS} s of calls: ${result.calls} answered, ${result.failed} failed, ${result.gap.toFixed(1)} s without an answer; ${result.texts.join('; ')}`,
  );
  expect(result).toMatchObject({ answer: -1, heard: 20 });
  expect(result.calls).toBeGreaterThan(20);
  const found = await queues();
  // The counter's value depends on the threads that ask first.
  expect(found.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^reply_rpc:-c:\d+$/));
  expect(found.filter(({ type }) => type !== 'quorum')).toEqual([]);
});

it('uses the same queues after a restart of the process', async () => {
  const before = (await queues()).map(({ name }) => name).sort();
  expect((await rpc(3)).answer).toBe(-1);
  expect((await queues()).map(({ name }) => name).sort()).toEqual(before);
});
