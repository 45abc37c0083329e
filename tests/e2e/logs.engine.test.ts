import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import { connectEngine, type DockerEngine } from '#engines';
import type { RunningContainer } from '#ports';
import { parseImageSet } from '#release';
import { podsOf } from '#site';
import { renderChecked } from '#site/testing';
import { serveStore, type ServedStore } from '#store';
import { buildImages } from '../helpers/build-images.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { openPodRunner, type PodRunner } from '../helpers/e2e/pod-runner.ts';

const REQUEST = 'req-11111111-2222-3333-4444-555555555555';
const GLOBAL = 'req-66666666-2222-3333-4444-555555555555';

/**
 * Writes log lines like a service: without a request, in its own request, in another service's
 * request, and with a traceback.
 */
const SERVICE = `
from oslo_config import cfg
from oslo_context import context
from oslo_log import log

conf = cfg.ConfigOpts()
log.register_options(conf)
conf([], project="keystone")
conf.set_override("use_stderr", True)
log.setup(conf, "keystone")
logger = log.getLogger("keystone.server")
logger.info("started")
context.RequestContext(user_id="u", request_id="${REQUEST}")
logger.warning("no [such] user")
context.RequestContext(user_id="u", request_id="${REQUEST}", global_request_id="${GLOBAL}")
try:
    {}["absent"]
except KeyError:
    logger.exception("it broke")
`;
const KEYSTONE = 'keystone-api-5d9f7c6b4-x2x4z';

/** Pods in the namespace of node agents. */
const OF_NODES = /^(libvirt|node-exporter|openvswitch)-/;

/** Output of other programs: pod, line, and the expected service and level. */
const OTHERS = [
  ['libvirt-x7k2p', '2026-11-21 17:10:00.123+0000: 123: error : cannot open', 'libvirt ERROR'],
  ['mariadb-0', '2026-11-21  7:09:54 0 [Warning] WSREP: no state file', 'mariadb WARN'],
  ['mariadb-nightly-29384756-x2x4z', 'wrote keystone to nightly', 'mariadb-nightly Unspecified'],
  [
    'node-exporter-sh94k',
    'time=2026-11-21T17:09:53.834Z level=ERROR source=main.go:585 msg="no folder"',
    'node-exporter ERROR',
  ],
  ['nova-db-sync-b1f0f5f0c8-2r86v', '2026-11-21 is a day', 'nova-db-sync Unspecified'],
  [
    'openvswitch-switch-7bxkz',
    '2026-11-21T17:10:00.123Z|00001|bridge(handler2)|WARN|no bridge',
    'openvswitch-switch WARN',
  ],
  [
    'rabbitmq-12',
    '2026-11-21 17:09:56.023309+00:00 [critical] <0.559.0> no memory',
    'rabbitmq FATAL',
  ],
  [
    'victoria-metrics-0',
    '2026-11-21T17:09:42.724Z\tinfo\tmain.go:43\tstarted',
    'victoria-metrics INFO',
  ],
] as const;
const ASK = `
import sys, urllib.parse, urllib.request
base, query = sys.argv[1:]
urllib.request.urlopen(base + "/internal/force_flush").read()
print(urllib.request.urlopen(base + "/select/logsql/query?" + urllib.parse.urlencode({"query": query, "limit": "100"})).read().decode())
`;

let store: ServedStore;
let engine: DockerEngine;
let pods: PodRunner;
let python: string;
let collector: RunningContainer;

beforeAll(async () => {
  await buildImages('2026.1', 'openstack-base', 'otel-collector', 'victoria-logs');
  const state = join(REPOSITORY, '.ccp');
  const imageSet = parseImageSet(
    readFileSync(join(state, 'sets', '2026.1.json'), 'utf8'),
    'the image set',
  );
  store = await serveStore({ folder: join(state, 'store') });
  engine = await connectEngine(process.env['CCP_ENGINE'] ?? '');
  const site = `
schema: 1.1.0
cluster: { context: none }
namespace: openstack
series: "2026.1"
registry: ${store.address}
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled], node: [kubernetes.io/os=linux] }
storage: { default: standard }
apps: { victoria-logs: {}, otel-collector: {} }
`;
  const { foundation, steps } = renderChecked({
    site: parseSite(site, 'site.yaml', 'test'),
    appSpecs: new Map(readAppSpecs(REPOSITORY)),
    imageSet,
  });
  const objects = [...foundation, ...steps.flatMap((step) => step.objects)];
  python = `${store.address}/openstack-base@${imageSet.images.find(({ name }) => name === 'openstack-base')!.digest}`;
  pods = await openPodRunner(engine, objects, python);
  const result = await pods.exec(python, ['/opt/openstack/bin/python', '-c', SERVICE], {});
  expect(result.exitCode, result.stderr).toBe(0);
  const lines = [
    ...result.stderr
      .trimEnd()
      .split('\n')
      .map((line) => `F ${line}`),
    'P cut by ',
    'F the runtime',
  ];
  writeLog(KEYSTONE, '0.log', lines);
  // The last log exists only as a rotated file that was not read before the rotation.
  for (const [pod, line] of OTHERS)
    writeLog(pod, pod === OTHERS.at(-1)![0] ? '0.log.20261121-171227' : '0.log', [`F ${line}`]);
  for (const { object } of podsOf(objects)) {
    const running = await pods.start(object);
    if (object.metadata.name === 'otel-collector') collector = running;
  }
});

afterAll(async () => {
  await pods?.close();
  if (store !== undefined) await engine?.untagAll([`${store.address}/`]);
  await engine?.close();
  await store?.close();
});

/** Writes a pod's log file in the node's format. */
function writeLog(pod: string, name: string, lines: readonly string[]): void {
  const namespace = OF_NODES.test(pod) ? 'openstack-node' : 'openstack';
  const path = pods.nodePath(
    `/var/log/pods/${namespace}_${pod}_0e0d7f3e-1111-2222-3333-444455556666/main/${name}`,
  );
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${new Date().toISOString()} stderr ${line}\n`).join(''));
}

type Line = Readonly<Record<string, string>>;

async function find(query: string): Promise<Line[]> {
  const { stdout, stderr } = await pods.exec(
    python,
    [
      '/opt/openstack/bin/python',
      '-c',
      ASK,
      'http://victoria-logs.openstack.svc.cluster.local:9428',
      query,
    ],
    {},
  );
  expect(stderr).toBe('');
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Polls the result of a query, because lines arrive with a delay. */
const shown = (query: string, by: (line: Line) => unknown) =>
  expect.poll(async () => (await find(query)).map(by), { timeout: 60_000, interval: 1000 });

const columns = (line: Line) => [
  line['severity'],
  line['logger'],
  line['request_id'],
  line['global_request_id'],
  line['_msg'],
];

it("finds a service's lines of any format by service, level and request", async () => {
  // The last line of the file.
  await shown('"service.name":=keystone-api runtime', (line) => line['_msg']).toEqual([
    'cut by the runtime',
  ]);
  // Not sorted by time: both lines may have the same millisecond.
  await shown(`request_id:=${REQUEST} | sort by (severity)`, columns).toEqual([
    [
      'ERROR',
      'keystone.server',
      REQUEST,
      GLOBAL,
      expect.stringMatching(/^it broke: KeyError: 'absent'\nTraceback [^]*\nKeyError: 'absent'$/),
    ],
    ['WARN', 'keystone.server', REQUEST, undefined, 'no [such] user'],
  ]);
  await shown('severity:=INFO logger:*', columns).toEqual([
    ['INFO', 'keystone.server', undefined, undefined, 'started'],
  ]);
  await shown('severity:=ERROR Traceback', (line) => line['k8s.pod.name']).toEqual([KEYSTONE]);
});

it("assigns the pod's service and a level to lines of other programs", async () => {
  const found = async () =>
    (await find(`"k8s.pod.name":in(${OTHERS.map(([pod]) => pod).join()})`))
      .map((line) => `${line['service.name']} ${line['severity']}`)
      .sort();
  await expect
    .poll(found, { timeout: 60_000, interval: 1000 })
    .toEqual(OTHERS.map(([, , service]) => service));
});

it('stops a collector cleanly', async () => {
  await collector.signal('SIGTERM');
  expect(await collector.wait()).toBe(0);
});
