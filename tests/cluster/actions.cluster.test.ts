import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSite } from '#definitions/deploy';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';
import { POD_LOG } from '../helpers/cluster/kwok-nodes.ts';
import { startExampleCluster } from '../helpers/cluster/example-site.ts';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

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
});
afterAll(async () => {
  workspace?.remove();
  await test?.stop();
});

const cluster = (): string[] => ['--kubeconfig', test.kubeconfig, '--context', 'test'];
const set = (): string[] => ['--set', imageSet];
const deploy = async (...args: readonly string[]) =>
  await ccp(workspace.root, ['deploy', ...args, ...cluster()]);
const inNamespace = async (apiVersion: string, kind: string) =>
  (await test.cluster.list({ apiVersion, kind }, { namespace: 'openstack' })).items;

it('lists and runs actions, schedules and checks, rotates secrets, removes members, and records it all in the history', async () => {
  expect((await deploy('apply', 'example', ...set())).stdout).toBe(
    'example: revision 1 is good, 13 of 13 steps done\n',
  );
  expect(
    (await inNamespace('batch/v1', 'CronJob')).map(({ metadata, spec }) => [
      metadata.name,
      (spec as { schedule: string }).schedule,
    ]),
  ).toEqual([['mariadb-nightly', '0 3 * * *']]);

  const listed = await deploy('action', 'list', 'example', 'rabbitmq');
  expect(listed.stdout).toContain(
    [
      'rabbitmq purge-queue: Takes all messages out of a queue; they are lost.\n',
      '    --param vhost=<text>  Virtual host. (required)\n',
      '    --param queue=<text>  Queue. (required)\n',
    ].join(''),
  );
  const wrong = await deploy(
    'action',
    'run',
    'example',
    'mariadb',
    'backup',
    '--param',
    'name=../etc',
  );
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    expect.any(Number),
    expect.stringContaining('"name" must match [a-z0-9][a-z0-9._-]{0,45}, not "../etc"'),
  ]);
  const run = await deploy(
    'action',
    'run',
    'example',
    'mariadb',
    'backup',
    '--param',
    'name=monday',
  );
  expect(run.stdout).toBe(`${POD_LOG}mariadb/backup: run 1 is good\n`);
  expect(
    (await inNamespace('v1', 'PersistentVolumeClaim')).map(({ metadata }) => metadata.name),
  ).toContain('mariadb-backups');

  const checked = await deploy('wait', 'example', '--checks');
  expect(checked.stdout).toMatch(
    /✓ check keystone\/token {2}good at .*\n {2}✓ check mariadb\/members {2}good at .*\n {2}✓ check rabbitmq\/members {2}good at .*\nthe site is healthy\n$/,
  );

  const rotated = await deploy(
    'action',
    'run',
    'example',
    'keystone',
    'rotate',
    '--param',
    'secret=fernet-keys',
    ...set(),
  );
  expect(rotated.stdout).toBe('example: revision 2 is good, 13 of 13 steps done\n');
  expect(readSite(workspace.root, 'example').apps['keystone']?.generations).toEqual({
    'fernet-keys': 2,
  });
  const history = await deploy('history', 'example');
  expect(history.stdout).toMatch(
    /^ {3}2 {2}good .*\n.*\n {3}1 {2}good .*\n.*\nrun 4 {2}good .*: check .*\nrun 3 {2}good .*: check .*\nrun 2 {2}good .*: check .*\nrun 1 {2}good .*: action mariadb\/backup keep=3 name=monday\n$/,
  );
  // The checks run at the same time, in no order.
  expect([...history.stdout.matchAll(/: check (.*)/g)].map(([, name]) => name).sort()).toEqual([
    'keystone/token',
    'mariadb/members',
    'rabbitmq/members',
  ]);
  expect((await deploy('apply', 'example', ...set())).stdout).toBe(
    'example: revision 2 is already applied and healthy; nothing was written, 13 of 13 steps done\n',
  );
  const members = async () =>
    (await inNamespace('apps/v1', 'StatefulSet')).find(
      ({ metadata }) => metadata.name === 'rabbitmq',
    )!;
  const {
    metadata: { uid: before },
  } = await members();
  // The state after a rotation that was killed before the first apply.
  const file = join(workspace.root, 'deploy-specs/example/site.yaml');
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(
      '    replicas: { rabbitmq: 3 }',
      '    generations: { cookie: 2 }\n$&',
    ),
  );
  const finished = await deploy(
    'action',
    'run',
    'example',
    'rabbitmq',
    'rotate',
    '--param',
    'secret=cookie',
    ...set(),
  );
  expect([finished.stdout, finished.stderr]).toEqual([
    'example: revision 3 is good, 13 of 13 steps done\n',
    expect.stringContaining(
      'generation 2 of Secret cookie of rabbitmq is in the site but not in the last good revision: applying it now',
    ),
  ]);
  expect(readSite(workspace.root, 'example').apps['rabbitmq']?.generations).toEqual({ cookie: 2 });
  const {
    metadata: { uid: stopped },
  } = await members();
  expect(stopped).not.toBe(before);
  const scale = async (members: number) =>
    await deploy('scale', 'example', `rabbitmq.rabbitmq=${members}`, ...set());
  expect((await scale(0)).stdout).toBe('example: revision 4 is good, 13 of 13 steps done\n');
  const fewer = await scale(1);
  expect([fewer.stdout, fewer.stderr]).toEqual([
    '',
    expect.stringContaining(
      'StatefulSet/rabbitmq cannot be applied: it was stopped with 3 members, and 1 pod would wait at the start for the other 2 members\n  -> apply it with 3 pods first, and with 1 once those are ready\n',
    ),
  ]);
  expect(readSite(workspace.root, 'example').apps['rabbitmq']?.replicas).toEqual({ rabbitmq: 0 });
  expect((await scale(3)).stdout).toBe('example: revision 5 is good, 13 of 13 steps done\n');
  const scaled = await scale(1);
  expect(scaled.stdout).toBe('example: revision 6 is good, 13 of 13 steps done\n');
  expect(scaled.stderr.indexOf('[action rabbitmq/forget-members] done')).toBeLessThan(
    scaled.stderr.indexOf('changed StatefulSet/rabbitmq'),
  );
  expect((await deploy('history', 'example')).stdout).toMatch(
    /\nrun 5 {2}good .*: action rabbitmq\/forget-members\n/,
  );
  expect((await members())['spec']).toMatchObject({ replicas: 1 });

  const deleted = await deploy('delete', 'example', '--yes', '--claims', '--secrets');
  expect(deleted.stdout).toBe('example is deleted; kept: Namespace/openstack\n');
  const left = await Promise.all(
    [
      ['v1', 'PersistentVolumeClaim'],
      ['v1', 'ConfigMap'],
      ['batch/v1', 'CronJob'],
      ['batch/v1', 'Job'],
      ['v1', 'Pod'],
    ].map(async ([version = '', kind = '']) => await inNamespace(version, kind)),
  );
  expect(left.flat().map(({ metadata }) => metadata.name)).toEqual(['kube-root-ca.crt']);
});
