import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '#core';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { applySite, openStatus, resultLines, statusLines } from '#rollout';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { systemClock } from '#ports';
import { startTestCluster, type TestCluster } from '../helpers/cluster/start-test-cluster.ts';

const NODES = 4;
let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster({ nodes: NODES });
});
afterAll(async () => {
  await test?.stop();
});

const head = 'schema: 1.1.0\ntitle: x\nuser: { uid: 1000, gid: 1000 }\n';
const resources = 'resources: { requests: { cpu: 10m, memory: 16Mi }, limits: { memory: 32Mi } }';
const SPECS: Readonly<Record<string, string>> = {
  switch: `${head}provides: { switch: { kind: node-service, type: switch, workload: switch } }
workloads:
  switch:
    kind: DaemonSet
    role: compute
    grace: 5
    disruption: { maxUnavailable: 2 }
    host: { network: it carries the node's traffic, processes: it looks into others' namespaces }
    volumes:
      run: { host: { path: /run/switch, readOnly: false, type: folder, propagation: both, reason: its socket is there } }
    containers:
      main: { command: [switch, "\${node.name}", VERSION], mounts: { run: /run/switch }, security: { privileged: it makes interfaces, root: it loads modules }, ${resources} }
`,
  agent: `${head}requires: { switch: { kind: node-service, type: switch } }
workloads:
  agent:
    kind: DaemonSet
    role: compute
    grace: 5
    requires: [switch:local]
    containers:
      main: { command: [agent], security: { capabilities: { SYS_ADMIN: it enters namespaces } }, ${resources} }
`,
};

function rendered(version: string, nodes = '{}'): RenderedSite {
  const site = parseSite(
    `schema: 1.1.0
cluster: { context: test }
namespace: nodes
series: "2026.1"
registry: registry.test
region: R
roles: { compute: [openstack-compute-node=enabled] }
storage: { default: standard }
apps: { switch: { nodes: ${nodes} }, agent: {} }
`,
    'site.yaml',
    'nodes',
  );
  const appSpecs = new Map(
    Object.entries(SPECS).map(([name, text]) => [
      name,
      parseAppSpec(text.replace('VERSION', version), `${name}.yaml`, name),
    ]),
  );
  const images = ['openstack-base', 'switch', 'agent'].map((name) => ({
    name,
    digest: digestOf(name),
  }));
  return renderChecked({ site, appSpecs, imageSet: { series: site.series, images } as never });
}

it('runs a DaemonSet with its requirements on every node of its role, updates it, and shows it in the status', async () => {
  const site = { name: 'nodes', namespace: 'nodes' };
  const apply = async (version: string, nodes?: string) =>
    await applySite(test.cluster, site, rendered(version, nodes), {
      by: 'test@here',
      run: version,
      clock: systemClock,
      emit: () => undefined,
    });
  expect(resultLines(await apply('one'))).toEqual(['nodes: revision 1 is good, 3 of 3 steps done']);
  const rolled = await apply('two');
  expect(rolled.plan.rolls.map(({ key, pods }) => `${key} ${pods}`)).toEqual([
    `DaemonSet/nodes-node/switch ${NODES}`,
  ]);
  expect(resultLines(rolled)).toEqual(['nodes: revision 2 is good, 3 of 3 steps done']);
  const open = await openStatus(test.cluster, site, systemClock);
  const lines = statusLines(await open.now());
  await open.close();
  expect(lines.slice(1)).toEqual([
    '  ✓ secrets',
    '  ✓ switch/workload/switch  4/4 pods',
    '  ✓ agent/workload/agent    4/4 pods',
    'the site is healthy',
  ]);
  const { items } = await test.cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace: 'nodes-node', labelSelector: 'app.kubernetes.io/instance=switch' },
  );
  expect(
    items
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((pod) =>
        (pod['spec'] as { containers: { command: string[] }[] }).containers[0]!.command.at(-1),
      ),
  ).toEqual(['two', 'two', 'two', 'two']);

  expect(
    resultLines(
      await apply(
        'two',
        '{ fast: { labels: [kubernetes.io/hostname=node-1], resources: { switch: { main: { limits: { memory: 64Mi } } } } } }',
      ),
    ),
  ).toEqual(['nodes: revision 3 is good, 4 of 4 steps done']);
  const sets = (
    await test.cluster.list(
      { apiVersion: 'apps/v1', kind: 'DaemonSet' },
      { namespace: 'nodes-node' },
    )
  ).items;
  expect(
    sets
      .map(
        ({ metadata, status }) =>
          `${metadata.name} ${(status as { numberReady: number }).numberReady}`,
      )
      .sort(),
  ).toEqual(['agent 4', 'switch 3', 'switch-switch-fast 1']);
});
