import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseAppSpec, parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import { parseImageSet } from '#release';
import { podsOf, type RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';

/** A service with typical dependencies, in an image that is built anyway. */
const SERVICE = `
schema: 1.0.0
title: A service for the test
user: { uid: 42457, gid: 42457 }
requires: { user: { kind: identity-user } }
provides: { api: { kind: endpoint, type: testing, workload: probe, port: http, path: /v1 } }
workloads:
  probe:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 5
    containers:
      probe:
        image: memcached
        command: [memcached, --port=8000]
        env: { AUTH_URL: "\${requires.user.auth-url}", PASSWORD: "\${requires.user.password}" }
        ports: { http: { port: 8000, from: anyone } }
        probes: { readiness: { tcp: { port: http } } }
        resources: {}
`;

/** Requests a token and the catalogue as a user; prints JSON. */
const CLIENT = `
import json, os
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

auth = v3.Password(auth_url=os.environ["AUTH_URL"], username=os.environ["USERNAME"], password=os.environ["PASSWORD"],
                   project_name=os.environ["PROJECT"], user_domain_id="default", project_domain_id="default")
client = session.Session(auth=auth)
try:
    token = client.get_token()
    me = client.get(os.environ["AUTH_URL"] + "/auth/tokens", headers={"X-Subject-Token": token}).json()["token"]
    print(json.dumps({"length": len(token), "user": me["user"]["name"], "services": sorted(s["type"] for s in me["catalog"])}))
except exceptions.HttpError as error:
    print(json.dumps({"status": error.http_status}))
`;

/**
 * Validates a token with keystone, caches it like a service, and searches for it in memcached;
 * prints JSON.
 */
const CACHED = `
import json, os, socket, urllib.parse
from keystoneauth1 import session
from keystoneauth1.identity import v3
from keystonemiddleware import auth_token
from oslo_config import cfg

auth = v3.Password(auth_url=os.environ["AUTH_URL"], username="admin", password=os.environ["PASSWORD"], project_name="admin",
                   user_domain_id="default", project_domain_id="default")
client = session.Session(auth=auth)
token = client.get_token()
client.get(os.environ["AUTH_URL"] + "/auth/tokens", headers={"X-Subject-Token": token})
conf = cfg.ConfigOpts()
conf([], project="service", default_config_files=[])
options = {"memcached_servers": os.environ["MEMCACHED"], "memcache_security_strategy": os.environ["STRATEGY"]}
cache = auth_token.AuthProtocol(None, {"oslo_config_config": conf, **options})._token_cache
cache.initialize({})
cache.set(token, {"marker": "of-a-service", "id": token})

def ask(words):
    host, port = os.environ["MEMCACHED"].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as connection:
        connection.sendall(words.encode() + b"\\r\\n")
        answer = b""
        while not answer.endswith(b"END\\r\\n"):
            answer += connection.recv(65536)
        return answer

names = [urllib.parse.unquote(line.split()[0][4:].decode()) for line in ask("lru_crawler metadump all").splitlines() if line.startswith(b"key=")]
held = b"".join(ask("get " + name) for name in names)
print(json.dumps({"found": cache.get(token)["marker"], "cached": len(names) > 1, "token": token.encode() in held, "marker": b"of-a-service" in held}))
`;

const endpoint = process.env['CCP_ENGINE'] ?? '';
let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let site: RenderedSite;
let image: string;

async function login(username: string, project: string, password: string): Promise<unknown> {
  const env = {
    AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3',
    USERNAME: username,
    PROJECT: project,
    PASSWORD: password,
  };
  const { stdout, stderr } = await pods.exec(
    image,
    ['/opt/openstack/bin/python', '-c', CLIENT],
    env,
  );
  return JSON.parse(stdout || JSON.stringify({ stderr }));
}

beforeAll(async () => {
  await buildImages('2026.1', 'keystone', 'mariadb', 'memcached', 'rabbitmq');
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', '2026.1.json'), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(endpoint);
  const text = `
schema: 1.0.0
cluster: { context: none }
namespace: openstack
series: "2026.1"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: { mariadb: {}, memcached: {}, rabbitmq: {}, keystone: { settings: { processes: 1 } }, probe: {} }
`;
  const appSpecs = new Map([
    ...readAppSpecs(REPOSITORY),
    ['probe', parseAppSpec(SERVICE, 'app.yaml', 'probe')],
  ]);
  site = renderChecked({ site: parseSite(text, 'site.yaml', 'test'), appSpecs, imageSet });
  const objects = [...site.foundation, ...site.steps.flatMap((step) => step.objects)];
  image = podsOf(objects).find(({ object }) => object.metadata.name === 'keystone-api')!.pod
    .containers[0]!.image;
  pods = await openPodRunner(engine, objects, image);
});

afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
});

it('runs the rendered site step by step, with repeatable jobs', async () => {
  for (const { objects } of site.steps)
    for (const object of objects)
      await (object.kind === 'Job' ? pods.finish(object) : pods.start(object));
  expect(pods.secrets.names()).toEqual(site.secrets.map(({ name }) => name));
  const before = pods.secrets.names().map((name) => pods.secrets.read(name));
  for (const { objects } of site.steps)
    for (const object of objects) if (object.kind === 'Job') await pods.finish(object);
  expect(pods.secrets.names().map((name) => pods.secrets.read(name))).toEqual(before);
});

it('issues a token to the administrator', async () => {
  const password = pods.secrets.read('keystone-admin')['password'] as string;
  expect(await login('admin', 'admin', password)).toEqual({
    length: expect.any(Number),
    user: 'admin',
    services: ['identity', 'testing'],
  });
});

it('has a user for a service that requires one', async () => {
  const password = pods.secrets.read('probe-user')['password'] as string;
  expect(await login('probe', 'service', password)).toMatchObject({ user: 'probe' });
});

it('rejects a wrong password', async () => {
  expect(await login('admin', 'admin', 'wrong')).toEqual({ status: 401 });
});

it.each([
  ['ENCRYPT', false],
  ['None', true],
])('stores tokens in memcached with the strategy %s, readable: %s', async (STRATEGY, readable) => {
  const { stdout, stderr } = await pods.exec(image, ['/opt/openstack/bin/python', '-c', CACHED], {
    AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3',
    PASSWORD: pods.secrets.read('keystone-admin')['password'] as string,
    MEMCACHED: 'memcached-0.memcached-peers.openstack.svc.cluster.local:11211',
    OS_KEYSTONE_AUTHTOKEN__MEMCACHE_SECRET_KEY: 'key',
    STRATEGY,
  });
  expect(JSON.parse(stdout || JSON.stringify({ stderr }))).toEqual({
    found: 'of-a-service',
    cached: true,
    token: readable,
    marker: readable,
  });
});
