import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import type { RunningContainer } from '#ports';
import { parseImageSet } from '#release';
import { objectsOf, podsOf, type RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';
import { kollaWorkspace } from '../helpers/kolla/kolla-workspace.ts';

// The site runs images that start by Kolla's own scripts, which the test fetches.
const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
const IMAGES = ['keystone', 'mariadb', 'memcached', 'rabbitmq'];

let workspace: string;
let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let site: RenderedSite;
let running: ReadonlyMap<string, RunningContainer>;

beforeAll(async () => {
  await buildImages(SERIES, 'openstack-base', ...IMAGES);
  workspace = kollaWorkspace(SERIES, IMAGES);
  const names = IMAGES.map((image) => `kolla-${image}`);
  for (const command of [['lock'], ['build', '--yes']]) {
    const done = await ccp(workspace, [...command, ...names, '--series', SERIES]);
    expect(done, done.stderr).toMatchObject({ exitCode: 0 });
  }
  const state = join(workspace, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', `${SERIES}.json`), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  const digestOf = (name: string): string =>
    imageSet.images.find((image) => image.name === name)!.digest;
  const external = (image: string, more = ''): string =>
    `${image}: { reference: "${store.address}/kolla-${image}@${digestOf(`kolla-${image}`)}", runtime: kolla${more} }`;
  const text = `
schema: 1.2.0
cluster: { context: none }
namespace: openstack
series: "${SERIES}"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: { mariadb: {}, memcached: {}, rabbitmq: {}, keystone: { settings: { processes: 1 } } }
external:
  ${external('keystone')}
  ${external('mariadb', ', user: mysql')}
  ${external('memcached', ', user: memcache')}
  ${external('rabbitmq')}
`;
  site = renderChecked({
    site: parseSite(text, 'site.yaml', 'test'),
    appSpecs: readAppSpecs(REPOSITORY),
    imageSet,
  });
  const objects = objectsOf(site);
  const image = podsOf(objects).find(({ object }) => object.metadata.name === 'keystone-api')!.pod
    .containers[0]!.image;
  pods = await openPodRunner(engine, objects, image);
  running = await runSiteSteps(site.steps, pods);
});

afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
  if (workspace !== undefined) rmSync(workspace, { recursive: true, force: true });
});

/** Owner, mode and path of the files that kolla_start copied in a workload's pod. */
async function copied(workload: string): Promise<readonly string[]> {
  const config = JSON.parse(
    await commandOutput(running.get(workload)!, ['cat', '/var/lib/kolla/config_files/config.json']),
  ) as { readonly config_files: readonly { readonly dest: string }[] };
  const paths = config.config_files.map(({ dest }) => dest);
  return (await commandOutput(running.get(workload)!, ['stat', '--format', '%U %a %n', ...paths]))
    .trim()
    .split('\n');
}

it('starts every workload by kolla_start, which copies its files for its user', async () => {
  expect(await copied('keystone-api')).toEqual(['keystone 600 /etc/keystone/keystone.conf']);
  const mariadb = await copied('mariadb');
  expect(mariadb).toContain('mysql 600 /etc/ccp/my.cnf');
  expect(mariadb.filter((line) => !/^mysql [67]00 \/etc\/ccp\//.test(line))).toEqual([]);
  const rabbitmq = await copied('rabbitmq');
  expect(rabbitmq).toContain('rabbitmq 600 /etc/ccp/rabbitmq.conf');
  expect(rabbitmq.filter((line) => !/^rabbitmq [67]00 \/etc\/ccp\//.test(line))).toEqual([]);
  for (const workload of ['keystone-api', 'mariadb', 'rabbitmq', 'memcached'])
    expect(await running.get(workload)!.logs()).toContain("Running command: '");
});

it('issues a token', async () => {
  const script = `
import os
from keystoneauth1 import session
from keystoneauth1.identity import v3
auth = v3.Password(auth_url=os.environ["AUTH_URL"], username="admin", password=os.environ["PASSWORD"],
                   project_name="admin", user_domain_id="default", project_domain_id="default")
print(len(session.Session(auth=auth).get_token()) > 50)
`;
  const image = podsOf(objectsOf(site)).find(
    ({ object }) => object.metadata.name === 'keystone-api',
  )!.pod.containers[0]!.image;
  const { stdout, stderr } = await pods.exec(image, ['/opt/openstack/bin/python', '-c', script], {
    AUTH_URL: 'http://keystone-api.openstack.svc.cluster.local:5000/v3',
    PASSWORD: pods.secrets.read('keystone-admin')['password'] as string,
  });
  expect(stdout || stderr).toBe('True\n');
});

it('copies a changed file again at each start, with COPY_ALWAYS', async () => {
  const api = running.get('keystone-api')!;
  const change = ['sh', '-c', 'echo changed > /etc/keystone/keystone.conf'];
  await commandOutput(api, change);
  expect((await api.exec(['sudo', '-E', 'kolla_set_configs', '--check'])).exitCode).not.toBe(0);
  await commandOutput(api, ['sudo', '-E', 'kolla_set_configs']);
  expect(await commandOutput(api, ['cat', '/etc/keystone/keystone.conf'])).toContain('[database]');
  expect((await api.exec(['sudo', '-E', 'kolla_set_configs', '--check'])).exitCode).toBe(0);
});

it('keeps a changed file, with COPY_ONCE', async () => {
  const api = running.get('keystone-api')!;
  const start = ['env', 'KOLLA_CONFIG_STRATEGY=COPY_ONCE', 'sudo', '-E', 'kolla_set_configs'];
  // The first start copies the files.
  await commandOutput(api, start);
  await commandOutput(api, ['sh', '-c', 'echo changed > /etc/keystone/keystone.conf']);
  await commandOutput(api, start);
  expect(await commandOutput(api, ['cat', '/etc/keystone/keystone.conf'])).toBe('changed');
});
