import { join } from 'node:path';
import { readSite } from '#definitions/deploy';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import { createVolumes } from '../helpers/cluster/create-volumes.ts';
import { startTestCluster } from '../helpers/cluster/start-test-cluster.ts';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { testWorkspace } from '../helpers/workspace.ts';
import { buildHelm } from '../helpers/helm.ts';
import { measure, median, report } from './measure.ts';

// Cost of `ccp deploy` on a real control plane with nodes simulated by kwok: 31 services, about 400
// objects. For comparison, Helm installs the chart that `ccp export chart` writes. The last row has
// three services with `REPLICAS` pods each.
const IDENTITIES = 27;
const NODES = 1000;
const REPLICAS = 1000;
const TIMES = 3;

const workspace = testWorkspace();
workspace.take('images', 'deploy-specs');
workspace.write('set.json', missingImageSet([...EXAMPLE_IMAGES, 'gate']));
const writeSite = (replicas: number): void => {
  const identities = Array.from(
    { length: IDENTITIES },
    (_, index) =>
      `  identity-${index}: { app: keystone, replicas: { api: ${index < 3 ? replicas : 3} } }`,
  );
  const text = [
    'schema: 1.0.0',
    'cluster: { context: test }',
    'namespace: openstack',
    'series: "2026.1"',
    'registry: registry.test/ccp',
    'region: R',
    'roles: { control-plane: [openstack-control-plane=enabled] }',
    'storage: { default: standard }',
    'apps:',
    '  mariadb: { replicas: { mariadb: 3 } }',
    '  memcached: {}',
    '  rabbitmq: {}',
    '  keystone: {}',
    ...identities,
  ];
  workspace.write('deploy-specs/big/site.yaml', `${text.join('\n')}\n`);
  workspace.write(
    'deploy-specs/helmed/site.yaml',
    `${text.join('\n').replace('namespace: openstack', 'namespace: helmed')}\n`,
  );
};
writeSite(3);
const { namespace } = readSite(workspace.root, 'big');
const say = (sentence: string): void => void process.stdout.write(`${sentence}\n`);
const helm = await buildHelm(say);
const test = await startTestCluster({ nodes: NODES, say });
try {
  await createVolumes(test.cluster, ['standard'], 5);
  const flags = ['--kubeconfig', test.kubeconfig];
  const set = ['--set', join(workspace.root, 'set.json')];
  const command = (...args: readonly string[]): string[] => [
    join(REPOSITORY, 'ccp'),
    'deploy',
    ...args,
    ...flags,
  ];
  const apply = async (): Promise<number> => {
    const start = performance.now();
    const { exitCode, stderr } = await ccp(workspace.root, [
      'deploy',
      'apply',
      'big',
      ...set,
      ...flags,
    ]);
    if (exitCode !== 0) throw new Error(stderr);
    return (performance.now() - start) / 1000;
  };
  const figures: Record<string, unknown> = {
    services: IDENTITIES + 4,
    nodes: NODES,
    installSeconds: await apply(),
  };
  const row = (name: string, line: readonly string[]): void => {
    const costs = measure(line, workspace.root, TIMES, { KUBECONFIG: test.kubeconfig });
    figures[name] = {
      seconds: median(costs.map(({ milliseconds }) => milliseconds)) / 1000,
      megabytes: Math.max(...costs.map(({ memory }) => memory)) / 1e6,
    };
    process.stdout.write(`${name}: ${JSON.stringify(figures[name])}\n`);
  };
  process.stdout.write(`install: ${figures['installSeconds']} s\n`);
  row('plan', command('plan', 'big', ...set));
  row('apply that changes nothing', command('apply', 'big', ...set));
  row('status', command('status', 'big'));
  const chart = join(workspace.root, 'chart');
  const exported = await ccp(workspace.root, ['export', 'chart', 'helmed', '-o', chart, ...set]);
  if (exported.exitCode !== 0) throw new Error(exported.stderr);
  const inNamespace = ['helmed', chart, '--namespace', 'helmed'];
  // The first run makes the release; the rows are of a chart that is there already.
  measure([helm, 'upgrade', '--install', '--create-namespace', ...inNamespace], workspace.root, 0, {
    KUBECONFIG: test.kubeconfig,
  });
  row('helm template', [helm, 'template', ...inNamespace, '--kube-version', '1.36.0']);
  row('helm upgrade --dry-run=server', [helm, 'upgrade', ...inNamespace, '--dry-run=server']);
  row('helm upgrade that changes nothing', [helm, 'upgrade', ...inNamespace]);
  measure([helm, 'uninstall', 'helmed', '--namespace', 'helmed'], workspace.root, 0, {
    KUBECONFIG: test.kubeconfig,
  });
  writeSite(REPLICAS);
  await apply();
  figures['pods'] = (
    await test.cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace })
  ).items.length;
  row('status of many pods', command('status', 'big'));
  report('deploy', figures);
} finally {
  await test.stop();
  workspace.remove();
}
