import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAppSpec, parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import type { KubernetesObject, RunningContainer } from '#ports';
import { parseImageSet } from '#release';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { eventually } from '../helpers/e2e/eventually.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';

/**
 * Connects to the bus, and logs in and validates a token at identity, again and again until it is
 * stopped; then prints JSON. Each try uses a new connection. Only refused logins count as failed.
 */
const CLIENT = `
import amqp, json, os, signal, threading, urllib.parse
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

stopped = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopped.set())
print("started", flush=True)
counts = {kind: {"logins": 0, "failed": 0} for kind in ("bus", "identity")}

def connect():
    url = urllib.parse.urlsplit(os.environ["BUS_URL"])
    connection = amqp.Connection(f"{url.hostname}:{url.port}", userid=url.username, password=url.password,
                                 virtual_host=url.path[1:], connect_timeout=30, read_timeout=30, write_timeout=30)
    connection.connect()
    connection.channel().queue_declare("logins", durable=True, auto_delete=False)
    connection.close()

def validate():
    url = os.environ["AUTH_URL"]
    auth = v3.Password(auth_url=url, username=os.environ["USER_NAME"], password=os.environ["USER_PASSWORD"],
                       project_name="service", user_domain_id="default", project_domain_id="default")
    client = session.Session(auth=auth)
    answer = client.get(url + "/auth/tokens", headers={"X-Subject-Token": client.get_token(), "Connection": "close"})
    assert answer.json()["token"]["user"]["name"] == os.environ["USER_NAME"]

def repeat(kind, once, refused):
    while not (stopped.is_set() and counts[kind]["logins"] + counts[kind]["failed"]):
        try:
            once()
            counts[kind]["logins"] += 1
        except refused:
            counts[kind]["failed"] += 1
        stopped.wait(0.02)

threads = [threading.Thread(target=repeat, args=each) for each in
           (("bus", connect, amqp.exceptions.AccessRefused), ("identity", validate, exceptions.HTTPClientError))]
for thread in threads:
    thread.start()
while any(thread.is_alive() for thread in threads):
    threads[0].join(1)
    threads[1].join(1)
print(json.dumps(counts))
`;

/** A service whose pods log in all the time. */
const SERVICE = `
schema: 1.0.0
title: A service for the test
user: { uid: 42457, gid: 42457 }
requires: { bus: { kind: message-bus }, user: { kind: identity-user } }
config: { client.py: { format: text, layers: [{ content: ${JSON.stringify(CLIENT)} }] } }
workloads:
  probe:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 5
    containers:
      probe:
        image: keystone
        command: [python, /etc/ccp/client.py]
        env:
          BUS_URL: "\${requires.bus.url}"
          AUTH_URL: "\${requires.user.auth-url}"
          USER_NAME: "\${requires.user.user}"
          USER_PASSWORD: "\${requires.user.password}"
        files: { client.py: /etc/ccp/client.py }
        resources: {}
`;

/** Lists users of the bus and of identity that belong to the service; prints JSON. */
const USERS = `
import base64, json, os, urllib.request
from keystoneauth1 import session
from keystoneauth1.identity import v3

login = base64.b64encode(f"admin:{os.environ['BUS_PASSWORD']}".encode()).decode()
request = urllib.request.Request(os.environ["BUS"], headers={"Authorization": f"Basic {login}"})
bus = [user["name"] for user in json.load(urllib.request.urlopen(request, timeout=30))]
url = os.environ["AUTH_URL"]
auth = v3.Password(auth_url=url, username="admin", password=os.environ["PASSWORD"], project_name="admin",
                   user_domain_id="default", project_domain_id="default")
identity = [user["name"] for user in session.Session(auth=auth).get(url + "/users").json()["users"]]
print(json.dumps({"bus": sorted(set(bus) - {"admin"}), "identity": sorted(set(identity) - {"admin"})}))
`;

interface Counts {
  readonly bus: { readonly logins: number; readonly failed: number };
  readonly identity: { readonly logins: number; readonly failed: number };
}

const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
const endpoint = process.env['CCP_ENGINE'] ?? '';
let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let image: string;
const sites = new Map<number, RenderedSite>();

const objectOf = (generation: number, id: string): KubernetesObject =>
  sites.get(generation)!.steps.find((step) => step.id === id)!.objects[0]!;
const run = async (generation: number, ...ids: readonly string[]): Promise<void> => {
  for (const id of ids) await pods.finish(objectOf(generation, id));
};
/** Starts a pod of the service; resolves when it can be stopped. */
const startService = async (generation: number): Promise<RunningContainer> => {
  const pod = await pods.start(objectOf(generation, 'probe/workload/probe'));
  await eventually(async () => expect(await pod.logs()).toContain('started'));
  return pod;
};
/** Stops a pod of the service; resolves with its counts. */
const stop = async (pod: RunningContainer): Promise<Counts> => {
  await pod.signal('TERM');
  await pod.wait();
  const log = await pod.logs();
  const line = log.split('\n').find((each) => each.startsWith('{"bus"'));
  expect(line, log).toBeDefined();
  return JSON.parse(line!) as Counts;
};
const usersOf = async (): Promise<unknown> => {
  const { stdout, stderr } = await pods.exec(image, ['/opt/openstack/bin/python', '-c', USERS], {
    BUS: 'http://127.0.0.1:15672/api/users',
    BUS_PASSWORD: pods.secrets.read('rabbitmq-admin')['password']!,
    AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3',
    PASSWORD: pods.secrets.read('keystone-admin')['password']!,
  });
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout);
};
const seconds = (count: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, count * 1000);
  });
const SETUPS = ['secrets', 'probe/setup/bus', 'probe/setup/user'];
const RETIRES = ['probe/retire/bus', 'probe/retire/user'];
const NONE_FAILED = {
  bus: { logins: expect.any(Number) as number, failed: 0 },
  identity: { logins: expect.any(Number) as number, failed: 0 },
};

beforeAll(async () => {
  await buildImages(SERIES, 'keystone', 'mariadb', 'memcached', 'rabbitmq', 'openstack-base');
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', `${SERIES}.json`), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(endpoint);
  const appSpecs = new Map([
    ...readAppSpecs(REPOSITORY),
    ['probe', parseAppSpec(SERVICE, 'app.yaml', 'probe')] as const,
  ]);
  for (const generation of [1, 2, 3]) {
    const text = `
schema: 1.0.0
cluster: { context: none }
namespace: openstack
series: "${SERIES}"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: { mariadb: {}, memcached: {}, rabbitmq: {}, keystone: {}, probe: { generations: { bus: ${generation}, user: ${generation} } } }
`;
    const site = parseSite(text, 'site.yaml', 'test');
    sites.set(generation, renderChecked({ site, appSpecs, imageSet }));
  }
  const all = [...sites.values()].flatMap(({ foundation, steps }) => [
    ...foundation,
    ...steps.flatMap((step) => step.objects),
  ]);
  image = `${store.address}/keystone@${imageSet.images.find(({ name }) => name === 'keystone')!.digest}`;
  pods = await openPodRunner(engine, all, image);
  for (const { objects, instance } of sites.get(1)!.steps)
    if (instance !== 'probe')
      for (const object of objects)
        await (object.kind === 'Job' ? pods.finish(object) : pods.start(object));
  await run(1, 'probe/setup/bus', 'probe/setup/user');
});
afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
});

it('rotates accounts of the bus and of identity without a failed login, and deletes the earlier ones', async () => {
  let current = await startService(1);
  for (const generation of [2, 3]) {
    await seconds(5);
    await run(generation, ...SETUPS);
    const next = await startService(generation);
    await seconds(5);
    const before = await stop(current);
    await run(generation, ...RETIRES);
    console.log(JSON.stringify({ generation: generation - 1, ...before }));
    expect(before).toEqual(NONE_FAILED);
    expect(Math.min(before.bus.logins, before.identity.logins)).toBeGreaterThan(5);
    current = next;
    const name = `probe.${generation}`;
    expect(await usersOf()).toEqual({ bus: ['keystone', name], identity: [name] });
  }
  await seconds(5);
  expect(await stop(current)).toEqual(NONE_FAILED);
});

it('refuses an account that was deleted, and creates it again for a rollback', async () => {
  const refused = await startService(2);
  expect(await stop(refused)).toEqual({
    bus: { logins: 0, failed: expect.any(Number) as number },
    identity: { logins: 0, failed: expect.any(Number) as number },
  });
  await run(2, 'probe/setup/bus', 'probe/setup/user');
  const back = await startService(2);
  await seconds(5);
  expect(await stop(back)).toEqual(NONE_FAILED);
  expect(await usersOf()).toEqual({
    bus: ['keystone', 'probe.2', 'probe.3'],
    identity: ['probe.2', 'probe.3'],
  });
});
