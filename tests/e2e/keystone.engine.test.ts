import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAppSpec, parseSite, readAppSpecs } from '#definitions';
import { layOutSite, type RenderedSite, type SecretRequest } from '#deploy';
import { connectEngine, type DockerEngine } from '#engines';
import { parseImageSet } from '#release';
import { serveStore, type ServedStore } from '#store';
import { ccp, REPOSITORY } from '../support/ccp.ts';
import { openPodRunner, type PodRunner, type SecretValues } from './pod-runner.ts';

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
let secrets: SecretValues;

function generate({ keys }: SecretRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(keys).map(([key, kind]) => [key, kind === 'password' ? randomBytes(16).toString('hex') : `${randomBytes(32).toString('base64url')}=`]));
}

async function login(username: string, project: string, password: string): Promise<unknown> {
  const image = site.steps.find(({ id }) => id === 'keystone/workload/api')!.objects[0]!;
  const { containers } = (image['spec'] as { template: { spec: { containers: readonly { image: string }[] } } }).template.spec;
  const env = { AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3', USERNAME: username, PROJECT: project, PASSWORD: password };
  const { stdout, stderr } = await pods.exec(['/opt/openstack/bin/python', '-c', CLIENT], env, containers[0]!.image);
  return JSON.parse(stdout || JSON.stringify({ stderr }));
}

beforeAll(async () => {
  const built = await ccp(REPOSITORY, ['build', '--series', '2026.1', '--yes']);
  expect(built, built.stderr).toMatchObject({ exitCode: 0 });
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
  secrets = Object.fromEntries(site.secrets.map((request) => [request.name, generate(request)]));
  pods = await openPodRunner(engine, [...site.foundation, ...site.steps.flatMap(({ objects }) => objects)], secrets);
});

afterAll(async () => {
  await pods?.close();
  await engine?.close();
  await store?.close();
});

test('the rendered site runs step by step, and then again: every job is safe to repeat', async () => {
  const steps = site.steps.filter(({ id }) => id !== 'secrets');
  for (const { objects } of steps) for (const object of objects) await (object.kind === 'Job' ? pods.finish(object) : pods.start(object));
  for (const { objects } of steps) for (const object of objects) if (object.kind === 'Job') await pods.finish(object);
});

test('keystone gives the administrator a token', async () => {
  expect(await login('admin', 'admin', secrets['keystone-admin']!['password']!)).toEqual({ length: expect.any(Number), user: 'admin', services: ['identity', 'testing'] });
});

test('keystone knows the user of a service that requires one', async () => {
  expect(await login('probe', 'service', secrets['probe-user']!['password']!)).toMatchObject({ user: 'probe' });
});

test('keystone refuses a wrong password', async () => {
  expect(await login('admin', 'admin', 'wrong')).toEqual({ status: 401 });
});
