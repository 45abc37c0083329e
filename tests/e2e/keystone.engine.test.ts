import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAppSpec, parseSite, readAppSpecs } from '#definitions/deploy';
import { layOutSite, podsOf, type RenderedSite } from '#deploy';
import { connectEngine, type DockerEngine } from '#engines';
import { parseImageSet } from '#release';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../support/build-images.ts';
import { REPOSITORY } from '../support/ccp.ts';
import { openPodRunner, type PodRunner } from './pod-runner.ts';

/** A service that needs what most services need, run by an image that is there anyway. */
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

/** Asks for a token and the catalogue as a user would; prints JSON. */
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

const endpoint = process.env['CCP_ENGINE'] ?? '';
let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let site: RenderedSite;
let image: string;

async function login(username: string, project: string, password: string): Promise<unknown> {
  const env = { AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3', USERNAME: username, PROJECT: project, PASSWORD: password };
  const { stdout, stderr } = await pods.exec(image, ['/opt/openstack/bin/python', '-c', CLIENT], env);
  return JSON.parse(stdout || JSON.stringify({ stderr }));
}

beforeAll(async () => {
  await buildImages('2026.1', 'keystone', 'mariadb', 'memcached', 'rabbitmq');
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(readFileSync(join(state, 'sets', '2026.1.json'), 'utf8'), 'the image set');
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
  const appSpecs = new Map([...readAppSpecs(REPOSITORY), ['probe', parseAppSpec(SERVICE, 'app.yaml', 'probe')]]);
  site = layOutSite({ site: parseSite(text, 'site.yaml', 'test'), appSpecs, imageSet });
  const objects = [...site.foundation, ...site.steps.flatMap((step) => step.objects)];
  image = podsOf(objects).find(({ object }) => object.metadata.name === 'keystone-api')!.pod.containers[0]!.image;
  pods = await openPodRunner(engine, objects, image);
});

afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
});

test('the rendered site runs step by step, and every job is safe to repeat', async () => {
  for (const { objects } of site.steps) for (const object of objects) await (object.kind === 'Job' ? pods.finish(object) : pods.start(object));
  expect(pods.secrets.names()).toEqual(site.secrets.map(({ name }) => name));
  const before = pods.secrets.names().map((name) => pods.secrets.read(name));
  for (const { objects } of site.steps) for (const object of objects) if (object.kind === 'Job') await pods.finish(object);
  expect(pods.secrets.names().map((name) => pods.secrets.read(name))).toEqual(before);
});

test('keystone gives the administrator a token', async () => {
  const password = pods.secrets.read('keystone-admin')['password'] as string;
  expect(await login('admin', 'admin', password)).toEqual({ length: expect.any(Number), user: 'admin', services: ['identity', 'testing'] });
});

test('keystone knows the user of a service that requires one', async () => {
  const password = pods.secrets.read('probe-user')['password'] as string;
  expect(await login('probe', 'service', password)).toMatchObject({ user: 'probe' });
});

test('keystone refuses a wrong password', async () => {
  expect(await login('admin', 'admin', 'wrong')).toEqual({ status: 401 });
});
