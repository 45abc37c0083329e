import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { statusNow } from '#rollout';
import { refOf } from '#site';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';
import { startExampleCluster } from '../helpers/cluster/example-site.ts';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

const SITE = { name: 'example', namespace: 'openstack' };

let test: TestCluster;
let workspace: TestWorkspace;
let imageSet: string;
beforeAll(async () => {
  test = await startExampleCluster(4);
  ({ workspace, imageSet } = exampleWorkspace());
  const site = readFileSync(join(REPOSITORY, 'deploy-specs/example/site.yaml'), 'utf8');
  workspace.write(
    'deploy-specs/example/site.yaml',
    site.replace(
      '  mariadb:\n',
      '  mariadb:\n    schedule: { nightly: { enabled: true, cron: "0 3 * * *" } }\n',
    ),
  );
  expect((await deploy('apply', 'example', '--set', imageSet)).stdout).toBe(
    'example: revision 1 is good, 13 of 13 steps done\n',
  );
});
afterAll(async () => {
  workspace?.remove();
  await test?.stop();
});

const deploy = async (...args: readonly string[]) =>
  await ccp(workspace.root, [
    'deploy',
    ...args,
    '--kubeconfig',
    test.kubeconfig,
    '--context',
    'test',
  ]);

/** The lines of `status` about objects and its last line, without hashes and times. */
async function objectLines(): Promise<{ readonly lines: string[]; readonly exitCode: number }> {
  const { stdout, exitCode } = await deploy('status', 'example');
  const lines = stdout.trimEnd().split('\n');
  return {
    exitCode,
    lines: [...lines.filter((line) => /^ {2}[?~!] /.test(line)), lines.at(-1)!].map((line) =>
      line
        .replaceAll(/\d{4}-\d\d-\S+Z/g, 'TIME')
        .replaceAll(/-[0-9a-f]{10}\b/g, '-#')
        .replaceAll(/ {2,}/g, '  '),
    ),
  };
}

/** Objects to delete: version, kind and the start of the name. */
const GONE: readonly (readonly [string, string, string])[] = [
  ['v1', 'Service', 'keystone-api'],
  ['networking.k8s.io/v1', 'NetworkPolicy', 'mariadb'],
  ['policy/v1', 'PodDisruptionBudget', 'rabbitmq'],
  ['v1', 'ServiceAccount', 'keystone'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'mariadb'],
  ['v1', 'ConfigMap', 'keystone-check-token-py'],
  ['batch/v1', 'CronJob', 'mariadb-nightly'],
];

async function named(apiVersion: string, kind: string, start: string): Promise<LiveObject> {
  const { items } = await test.cluster.list(
    { apiVersion, kind },
    { namespace: SITE.namespace, labelSelector: 'app.kubernetes.io/part-of=example' },
  );
  return items.find(({ metadata }) => metadata.name.startsWith(start))!;
}

it('is healthy after an apply, and the server is asked about no object', async () => {
  expect(await objectLines()).toEqual({ exitCode: 0, lines: ['the site is healthy'] });
  const dryRuns: string[] = [];
  const watching = {
    ...test.cluster,
    apply: ((object, options) => {
      dryRuns.push(`${object.kind}/${object.metadata.name}`);
      return test.cluster.apply(object, options);
    }) as typeof test.cluster.apply,
  };
  expect((await statusNow(watching, SITE)).well).toBe(true);
  expect(dryRuns).toEqual([]);
});

it('names every object that was deleted, and counts fields that differ, until an apply', async () => {
  for (const [apiVersion, kind, start] of GONE)
    await test.cluster.delete(refOf(await named(apiVersion, kind, start)));
  const service = structuredClone(await named('v1', 'Service', 'mariadb'));
  (service['spec'] as { ports: { targetPort: number | string }[] }).ports[0]!.targetPort = 1;
  await test.cluster.update(service, { fieldManager: 'kubectl-edit' });

  const app = (name: string): string => `of app ${name} does not exist; it existed at TIME`;
  expect(await objectLines()).toEqual({
    exitCode: 7,
    lines: [
      '  ? mariadb/schedule/nightly  CronJob/mariadb-nightly does not exist',
      `  ? ServiceAccount openstack/keystone ${app('keystone')}`,
      `  ? Role openstack/mariadb-leader ${app('mariadb')}`,
      `  ? ConfigMap openstack/keystone-check-token-py-# ${app('keystone')}`,
      `  ? Service openstack/keystone-api ${app('keystone')}`,
      `  ? PodDisruptionBudget openstack/rabbitmq ${app('rabbitmq')}`,
      `  ? NetworkPolicy openstack/mariadb ${app('mariadb')}`,
      '  ~ 1 field of Service/mariadb differs from revision 1: ccp deploy diff example',
      '1 of 13 steps are not done, 6 objects are missing, 1 field differs',
    ],
  });
  const waited = await deploy('wait', 'example');
  expect(waited.exitCode).toBe(7);
  expect(waited.stdout).toContain('6 objects are missing, 1 field differs');

  const take = ['--take', 'Service/mariadb:spec.ports'];
  expect((await deploy('apply', 'example', '--set', imageSet, ...take)).exitCode).toBe(0);
  expect(await objectLines()).toEqual({ exitCode: 0, lines: ['the site is healthy'] });
});
