import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Site, SiteApp } from '#definitions';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { layOutSite, podsOf, type RenderedSite } from '#deploy';
import { connectEngine, type DockerEngine } from '#engines';
import { parseImageSet } from '#release';
import type { KubernetesObject, RunningContainer } from '#ports';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../support/build-images.ts';
import { REPOSITORY } from '../support/ccp.ts';
import { WATCHERS } from '../support/watchers.ts';
import { openBrowser } from './browser.ts';
import { openstackOf } from './openstack-of.ts';
import { outputOf } from './output-of.ts';
import { NODE, openPodRunner, type PodRunner } from './pod-runner.ts';
import { runSteps } from './run-steps.ts';

// The site `cloud` with one pod of each workload, on a node that only pretends to run servers.
const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
/** Agents of neutron that work on the kernel's switch, which is not here. */
const LEFT_OUT = ['dhcp', 'l3', 'metadata', 'openvswitch-agent'].map((agent) => `neutron/workload/${agent}`);
const ONE = { processes: 1 };
const ARTEFACTS = join(REPOSITORY, '.ccp', 'artefacts');

/** Reports as an agent of the host would: ports are bound where one lives. */
const AGENT = `
from neutron.common import config
config.register_common_config_options()
config.init(["--config-file", "/etc/neutron/neutron.conf"])
from neutron.conf.agent import common
from oslo_config import cfg
common.register_agent_state_opts_helper(cfg.CONF)
from neutron.agent import rpc
from neutron_lib import context
from neutron_lib.agent import topics

report = {"binary": "neutron-openvswitch-agent", "agent_type": "Open vSwitch agent", "topic": "N/A", "host": "${NODE}", "start_flag": True,
          "configurations": {"tunnel_types": ["vxlan"], "tunneling_ip": "127.0.0.1", "bridge_mappings": {}, "datapath_type": "system"}}
rpc.PluginReportStateAPI(topics.REPORTS).report_state(context.get_admin_context_without_session(), report, use_call=True)
`;

let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let site: RenderedSite;
let running: ReadonlyMap<string, RunningContainer>;
let folder: string;

const imageOf = (name: string): string =>
  podsOf(site.steps.flatMap(({ objects }) => objects)).find(({ object }) => object.metadata.name === name)!.pod.containers[0]!.image;

/** Runs a command in a workload's pod; gives what it printed. */
const output = (workload: string, ...command: readonly string[]): Promise<string> => outputOf(running.get(workload)!, command);

const shell = (...command: readonly string[]): Promise<string> => output('openstackclient', ...command);

/** Bytes of a pod that are no cache: control groups of version 2 and 1. */
async function memoryOf(workload: string): Promise<number> {
  const statistics = await output(workload, 'sh', '-c', 'cat /sys/fs/cgroup/memory.stat 2>/dev/null || cat /sys/fs/cgroup/memory/memory.stat');
  return Number(/^(?:anon|total_rss) (\d+)$/m.exec(statistics)![1]);
}

const openstack = (...args: readonly string[]): Promise<Record<string, unknown>> => openstackOf(running.get('openstackclient')!, args);

/** The committed site with few processes, on hypervisors that pretend, without a way in and what watches it. */
function small({ expose: _, tls: __, ...cloud }: Site, names: readonly string[], registry: string): Site {
  const settings = {
    keystone: ONE,
    glance: ONE,
    placement: ONE,
    horizon: ONE,
    nova: { ...ONE, 'conductor-workers': 1, 'scheduler-workers': 1 },
    neutron: { ...ONE, 'rpc-workers': 1 },
  };
  const apps = names.map((name): [string, SiteApp] => [name, { settings: (settings as Record<string, SiteApp['settings']>)[name] ?? {} }]);
  const pretend = { 'compute.conf': { DEFAULT: { compute_driver: 'fake.FakeDriver' } } };
  return {
    ...cloud,
    registry,
    series: SERIES as Site['series'],
    apps: { ...Object.fromEntries(apps), nova: { settings: settings.nova, config: pretend, schedule: { purge: { enabled: true } } } },
  };
}

beforeAll(async () => {
  const cloud = readSite(REPOSITORY, 'cloud');
  const names = Object.keys(cloud.apps).filter((name) => !WATCHERS.some((watcher) => watcher === name));
  await buildImages(SERIES, ...names);
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(readFileSync(join(state, 'sets', `${SERIES}.json`), 'utf8'), 'the image set');
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  site = layOutSite({ site: small(cloud, names, store.address), appSpecs: readAppSpecs(REPOSITORY), imageSet });
  folder = mkdtempSync(join(tmpdir(), 'ccp-cloud-'));
  mkdirSync(ARTEFACTS, { recursive: true });
  pods = await openPodRunner(engine, [...site.foundation, ...site.steps.flatMap((step) => step.objects)], imageOf('keystone-api'));
  const start = Date.now();
  const steps = site.steps.filter(({ id }) => !LEFT_OUT.includes(id));
  running = await runSteps(steps, pods);
  const seconds = Math.round((Date.now() - start) / 1000);
  const memory = await Promise.all([...running.keys()].map(async (name): Promise<[string, number]> => [name, Math.round((await memoryOf(name)) / 2 ** 20)]));
  const sum = memory.reduce((before, [, size]) => before + size, 0);
  const each = memory.map(([name, size]) => `${name} ${size}`).join(', ');
  console.log(`${steps.length} steps in ${seconds} s; ${running.size} pods take ${sum} MiB: ${each}`);
});

afterAll(async () => {
  await pods?.close();
  await engine?.close();
  await store?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

test('every service stands in the catalogue', async () => {
  const catalogue = (await openstack('catalog', 'list')) as unknown as { Name: string; Type: string }[];
  expect(catalogue.map(({ Name, Type }) => `${Name} ${Type}`).sort()).toEqual([
    'glance image',
    'keystone identity',
    'neutron network',
    'nova compute',
    'placement placement',
  ]);
});

test('an image comes back as it went in', async () => {
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
  const [sent, back] = (await shell('sha512sum', '/tmp/image', '/tmp/back')).split('\n').map((line) => line.split(' ')[0]);
  expect(back).toBe(sent);
  expect(os_hash_value ?? (properties as Record<string, unknown>)['os_hash_value']).toBe(sent);
});

test('an image of unknown length is taken too, as snapshots of servers are', async () => {
  const size = await shell('sh', '-c', 'cat /tmp/image | openstack image create --disk-format raw --container-format bare piped --format value --column size');
  expect(size).toBe('3000000');
});

test('what the cluster runs at its time ends well', async () => {
  const scheduled = site.foundation.filter(({ kind }) => kind === 'CronJob') as (KubernetesObject & {
    readonly spec: { readonly jobTemplate: { readonly spec: object } };
  })[];
  expect(scheduled.map(({ metadata }) => metadata.name)).toEqual(['nova-discover-hosts', 'nova-purge']);
  await Promise.all(scheduled.map(({ metadata, spec }) => pods.finish({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: spec.jobTemplate.spec })));
});

test('a server gets a network and becomes active', async () => {
  await Promise.all([
    openstack('network', 'create', 'private').then(() => openstack('subnet', 'create', '--network', 'private', '--subnet-range', '10.0.0.0/24', 'private')),
    openstack('flavor', 'create', '--ram', '64', '--disk', '1', '--vcpus', '1', 'tiny'),
    output('neutron-rpc', 'python', '-c', AGENT),
  ]);
  const server = await openstack('server', 'create', '--image', 'probe', '--flavor', 'tiny', '--network', 'private', '--wait', 'first');
  expect(server).toMatchObject({ name: 'first', status: 'ACTIVE', addresses: { private: [expect.stringMatching(/^10\.0\.0\./)] } });
});

test('a person logs in to the dashboard and sees the server', async () => {
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

test('every service ends in order within the grace of its pod, those that others need last', async () => {
  const graces = new Map(
    podsOf(site.steps.flatMap(({ objects }) => objects)).map(({ object, pod }) => [object.metadata.name, pod.terminationGracePeriodSeconds ?? 0]),
  );
  const end = async (name: string): Promise<string> => {
    const container = running.get(name)!;
    await container.signal('SIGTERM');
    const left = new AbortController();
    const late = delay(graces.get(name)! * 1000, undefined, { signal: left.signal }).catch(() => undefined);
    const code = await Promise.race([container.wait(), late]);
    left.abort();
    if (code === undefined) return `${name} did not end in time`;
    // By itself, or by the signal where it leaves that to its default action.
    return code === 0 || code === 143 ? `${name} ended` : `${name} ended with ${code}`;
  };
  const needed = ['mariadb', 'rabbitmq', 'memcached'];
  // The client only waits for commands.
  const services = [...running.keys()].filter((name) => name !== 'openstackclient' && !needed.includes(name));
  const ended = [...(await Promise.all(services.map(end))), ...(await Promise.all(needed.map(end)))];
  expect(ended).toEqual([...services, ...needed].map((name) => `${name} ended`));
});
