import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Site, SiteApp } from '#definitions';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import type { KubernetesObject, RunningContainer } from '#ports';
import { parseImageSet } from '#release';
import { objectsOf, podsOf, type RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { WATCHERS } from '../helpers/watchers.ts';
import { openBrowser } from '../helpers/e2e/browser.ts';
import { AGENT } from '../helpers/e2e/neutron-agent.ts';
import { runOpenstack } from '../helpers/e2e/run-openstack.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';

// The site `cloud` with one pod per workload, on a node that only simulates servers.
const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
/** Neutron agents that need the kernel's Open vSwitch module, which is not available. */
const LEFT_OUT = ['dhcp', 'l3', 'metadata', 'openvswitch-agent'].map(
  (agent) => `neutron/workload/${agent}`,
);
const ONE = { processes: 1 };
const ARTEFACTS = join(REPOSITORY, '.ccp', 'artefacts');

let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let site: RenderedSite;
let running: ReadonlyMap<string, RunningContainer>;
let folder: string;

const imageOf = (name: string): string =>
  podsOf(site.steps.flatMap(({ objects }) => objects)).find(
    ({ object }) => object.metadata.name === name,
  )!.pod.containers[0]!.image;

/** Runs a command in a workload's pod; resolves with its output. */
const output = (workload: string, ...command: readonly string[]): Promise<string> =>
  commandOutput(running.get(workload)!, command);

const shell = (...command: readonly string[]): Promise<string> =>
  output('openstackclient', ...command);

/** Memory of a pod without caches, in bytes; for control groups of version 2 and 1. */
async function memoryOf(workload: string): Promise<number> {
  const statistics = await output(
    workload,
    'sh',
    '-c',
    'cat /sys/fs/cgroup/memory.stat 2>/dev/null || cat /sys/fs/cgroup/memory/memory.stat',
  );
  return Number(/^(?:anon|total_rss) (\d+)$/m.exec(statistics)![1]);
}

const openstack = (...args: readonly string[]): Promise<Record<string, unknown>> =>
  runOpenstack(running.get('openstackclient')!, args);

/**
 * The committed site with few processes and simulated hypervisors, without ingress and monitoring.
 */
function small(
  { expose: _, tls: __, ...cloud }: Site,
  names: readonly string[],
  registry: string,
): Site {
  const settings = {
    keystone: ONE,
    glance: ONE,
    placement: ONE,
    horizon: ONE,
    nova: { ...ONE, 'conductor-workers': 1, 'scheduler-workers': 1 },
    neutron: { ...ONE, 'rpc-workers': 1 },
  };
  const apps = names.map((name): [string, SiteApp] => [
    name,
    { settings: (settings as Record<string, SiteApp['settings']>)[name] ?? {} },
  ]);
  const pretend = { 'compute.conf': { DEFAULT: { compute_driver: 'fake.FakeDriver' } } };
  return {
    ...cloud,
    registry,
    series: SERIES as Site['series'],
    apps: {
      ...Object.fromEntries(apps),
      nova: { settings: settings.nova, config: pretend, schedule: { purge: { enabled: true } } },
    },
  };
}

beforeAll(async () => {
  const cloud = readSite(REPOSITORY, 'cloud');
  const names = Object.keys(cloud.apps).filter(
    (name) => !WATCHERS.some((watcher) => watcher === name),
  );
  await buildImages(SERIES, ...names);
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', `${SERIES}.json`), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  site = renderChecked({
    site: small(cloud, names, store.address),
    appSpecs: readAppSpecs(REPOSITORY),
    imageSet,
  });
  folder = mkdtempSync(join(tmpdir(), 'ccp-cloud-'));
  mkdirSync(ARTEFACTS, { recursive: true });
  pods = await openPodRunner(
    engine,
    [...site.foundation, ...site.steps.flatMap((step) => step.objects)],
    imageOf('keystone-api'),
  );
  const start = Date.now();
  const steps = site.steps.filter(({ id }) => !LEFT_OUT.includes(id));
  running = await runSiteSteps(steps, pods);
  const seconds = Math.round((Date.now() - start) / 1000);
  const memory = await Promise.all(
    [...running.keys()].map(async (name): Promise<[string, number]> => [
      name,
      Math.round((await memoryOf(name)) / 2 ** 20),
    ]),
  );
  const sum = memory.reduce((before, [, size]) => before + size, 0);
  const each = memory.map(([name, size]) => `${name} ${size}`).join(', ');
  console.log(
    `${steps.length} steps in ${seconds} s; ${running.size} pods take ${sum} MiB: ${each}`,
  );
});

afterAll(async () => {
  await pods?.close();
  await engine?.close();
  await store?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

it('lists every service in the catalogue', async () => {
  const catalogue = (await openstack('catalog', 'list')) as unknown as {
    Name: string;
    Type: string;
  }[];
  expect(catalogue.map(({ Name, Type }) => `${Name} ${Type}`).sort()).toEqual([
    'glance image',
    'keystone identity',
    'neutron network',
    'nova compute',
    'placement placement',
  ]);
});

it('returns an uploaded image unchanged', async () => {
  await shell('sh', '-c', 'head -c 3000000 /dev/urandom > /tmp/image');
  const { os_hash_value, properties } = await openstack(
    'image',
    'create',
    '--disk-format',
    'raw',
    '--container-format',
    'bare',
    '--file',
    '/tmp/image',
    'probe',
  );
  await shell('openstack', 'image', 'save', '--file', '/tmp/back', 'probe');
  const [sent, back] = (await shell('sha512sum', '/tmp/image', '/tmp/back'))
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(back).toBe(sent);
  expect(os_hash_value ?? (properties as Record<string, unknown>)['os_hash_value']).toBe(sent);
});

it('accepts an image of unknown length, like a snapshot of a server', async () => {
  const size = await shell(
    'sh',
    '-c',
    'cat /tmp/image | openstack image create --disk-format raw --container-format bare piped --format value --column size',
  );
  expect(size).toBe('3000000');
});

it('runs its scheduled jobs without errors', async () => {
  const scheduled = objectsOf(site).filter(
    ({ kind }) => kind === 'CronJob',
  ) as (KubernetesObject & {
    readonly spec: { readonly jobTemplate: { readonly spec: object } };
  })[];
  expect(scheduled.map(({ metadata }) => metadata.name)).toEqual([
    'nova-discover-hosts',
    'nova-purge',
  ]);
  await Promise.all(
    scheduled.map(({ metadata, spec }) =>
      pods.finish({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: spec.jobTemplate.spec }),
    ),
  );
});

it('starts a server with a network', async () => {
  await Promise.all([
    openstack('network', 'create', 'private').then(() =>
      openstack(
        'subnet',
        'create',
        '--network',
        'private',
        '--subnet-range',
        '10.0.0.0/24',
        'private',
      ),
    ),
    openstack('flavor', 'create', '--ram', '64', '--disk', '1', '--vcpus', '1', 'tiny'),
    output('neutron-rpc', 'python', '-c', AGENT),
  ]);
  const server = await openstack(
    'server',
    'create',
    '--image',
    'probe',
    '--flavor',
    'tiny',
    '--network',
    'private',
    '--wait',
    'first',
  );
  expect(server).toMatchObject({
    name: 'first',
    status: 'ACTIVE',
    addresses: { private: [expect.stringMatching(/^10\.0\.0\./)] },
  });
});

it('shows the server in the dashboard after a login', async () => {
  const browser = await openBrowser(running.get('horizon-dashboard')!.id, folder);
  try {
    const page = await browser.newPage();
    await page.goto('http://127.0.0.1:8080/');
    await page.fill('#id_username', 'admin');
    await page.fill('#id_password', pods.secrets.read('keystone-admin')['password'] as string);
    await page.click('#loginBtn');
    await page.waitForURL((url) => !url.pathname.startsWith('/auth/'));
    await page.goto('http://127.0.0.1:8080/project/instances/');
    const row = page.locator('#instances tbody tr', { hasText: 'first' });
    await row.waitFor();
    await page.screenshot({ path: join(ARTEFACTS, `dashboard-${SERIES}.png`) });
    expect(await row.innerText()).toContain('Active');
  } finally {
    await browser.close();
  }
});

it('stops every service cleanly within its grace period, dependencies last', async () => {
  const graces = new Map(
    podsOf(site.steps.flatMap(({ objects }) => objects)).map(({ object, pod }) => [
      object.metadata.name,
      pod.terminationGracePeriodSeconds ?? 0,
    ]),
  );
  const end = async (name: string): Promise<string> => {
    const container = running.get(name)!;
    await container.signal('SIGTERM');
    const left = new AbortController();
    const late = delay(graces.get(name)! * 1000, undefined, { signal: left.signal }).catch(
      () => undefined,
    );
    const code = await Promise.race([container.wait(), late]);
    left.abort();
    if (code === undefined) return `${name} did not end in time`;
    // The service exits itself, or by the signal's default action.
    return code === 0 || code === 143 ? `${name} ended` : `${name} ended with ${code}`;
  };
  const needed = ['mariadb', 'rabbitmq', 'memcached'];
  // The client only waits for commands.
  const services = [...running.keys()].filter(
    (name) => name !== 'openstackclient' && !needed.includes(name),
  );
  const ended = [
    ...(await Promise.all(services.map(end))),
    ...(await Promise.all(needed.map(end))),
  ];
  expect(ended).toEqual([...services, ...needed].map((name) => `${name} ended`));
});
