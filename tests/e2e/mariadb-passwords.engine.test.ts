import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import { parseImageSet } from '#release';
import { podsOf, type RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';

/**
 * Logs in again and again as a service does, each time with a new connection, until SECONDS have
 * passed; prints JSON.
 */
const CLIENT = `
import json, os, time, pymysql, urllib.parse
url = urllib.parse.urlsplit(os.environ["URL"])
logins = failed = 0
until = time.monotonic() + float(os.environ["SECONDS"])
while logins + failed == 0 or time.monotonic() < until:
    try:
        connection = pymysql.connect(host=url.hostname, port=url.port, user=url.username, password=url.password,
                                     database="keystone", connect_timeout=30)
        connection.query("SELECT 1")
        connection.close()
        logins += 1
    except pymysql.err.OperationalError as error:
        if error.args[0] != 1045:
            raise
        failed += 1
print(json.dumps({"logins": logins, "failed": failed}))
`;

const endpoint = process.env['CCP_ENGINE'] ?? '';
let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let image: string;
const sites = new Map<number, RenderedSite>();

const job = (generation: number, id: string) =>
  sites.get(generation)!.steps.find((step) => step.id === id)!.objects[0]!;
const login = async (
  generation: number,
  seconds = 0,
): Promise<{ readonly logins: number; readonly failed: number }> => {
  const secret = generation === 1 ? 'keystone-database' : `keystone-database-g${generation}`;
  const password = pods.secrets.read(secret)['password']!;
  const { stdout, stderr } = await pods.exec(image, ['/opt/openstack/bin/python', '-c', CLIENT], {
    URL: `mysql://keystone:${password}@mariadb.openstack.svc.cluster.local:3306`,
    SECONDS: String(seconds),
  });
  expect(stdout, stderr).toMatch(/^\{/);
  return JSON.parse(stdout) as { readonly logins: number; readonly failed: number };
};

beforeAll(async () => {
  await buildImages('2026.1', 'keystone', 'mariadb', 'memcached');
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', '2026.1.json'), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(endpoint);
  for (const generation of [1, 2, 3]) {
    const text = `
schema: 1.0.0
cluster: { context: none }
namespace: openstack
series: "2026.1"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: standard }
apps: { mariadb: {}, memcached: {}, keystone: { generations: { database: ${generation} } } }
`;
    const appSpecs = readAppSpecs(REPOSITORY);
    const site = parseSite(text, 'site.yaml', 'test');
    sites.set(generation, renderChecked({ site, appSpecs, imageSet }));
  }
  const all = [...sites.values()].flatMap(({ foundation, steps }) => [
    ...foundation,
    ...steps.flatMap((step) => step.objects),
  ]);
  image = podsOf(all).find(({ object }) => object.metadata.name === 'keystone-api')!.pod
    .containers[0]!.image;
  pods = await openPodRunner(engine, all, image);
  await pods.finish(job(1, 'secrets'));
  await pods.start(job(1, 'mariadb/workload/mariadb'));
  await pods.finish(job(1, 'keystone/setup/database'));
});
afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
});

it('accepts the password before until it is retired: no login fails during a rotation', async () => {
  const old = login(1, 20);
  await pods.finish(job(2, 'secrets'));
  await pods.finish(job(2, 'keystone/setup/database'));
  const [before, after] = await Promise.all([old, login(2, 10)]);
  console.log(JSON.stringify({ before, after }));
  expect([before.failed, after.failed]).toEqual([0, 0]);
  expect(before.logins + after.logins).toBeGreaterThan(20);
  const still = login(2, 10);
  await pods.finish(job(2, 'keystone/retire/database'));
  expect((await still).failed).toBe(0);
  expect([await login(1), await login(2)]).toEqual([
    { logins: 0, failed: 1 },
    { logins: 1, failed: 0 },
  ]);
});

it('accepts two generations at most', async () => {
  await pods.finish(job(3, 'secrets'));
  await pods.finish(job(3, 'keystone/setup/database'));
  expect(await Promise.all([1, 2, 3].map((each) => login(each)))).toEqual([
    { logins: 0, failed: 1 },
    { logins: 1, failed: 0 },
    { logins: 1, failed: 0 },
  ]);
});
