import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf, omitUndefined } from '#core';
import { runMemo } from '#definitions';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';
import type { ImageSet } from '#release';
import { setAppSpecs } from '../../tools/cli/src/compose/set-app-specs.ts';
import { startControllers } from '../../tools/rollout/src/testing/fake-controllers.ts';
import type { Behaviour } from '../../tools/rollout/src/testing/fake-kubelet.ts';
import { answerFaults } from '../helpers/answer-faults.ts';
import { createVolumes } from '../helpers/cluster/create-volumes.ts';
import { EXAMPLE_IMAGES, exampleWorkspace } from '../helpers/example-workspace.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const cluster = fakeCluster();
let server: FakeApiServer;
let workspace: TestWorkspace;
/** Behaviour of the pods of Jobs; other pods are healthy. */
let jobs: Behaviour = 'well';

beforeAll(async () => {
  startControllers(cluster, ({ kind }) => (kind === 'Job' ? jobs : 'well'));
  await createVolumes(cluster, ['standard'], 0);
  server = await startFakeApiServer(cluster, { bookmarkMs: 20 });
  ({ workspace } = exampleWorkspace());
  const site = join(workspace.root, 'deploy-specs/example/site.yaml');
  workspace.write(
    'deploy-specs/example/site.yaml',
    readFileSync(site, 'utf8').replace('database: fast', 'database: standard'),
  );
  workspace.write('kubeconfig', server.kubeconfig);
});
afterAll(async () => {
  await server?.close();
  workspace?.remove();
});

/** Runs `ccp deploy LINE --json`; returns its exit code and its answer. */
async function answerOf(
  line: string,
): Promise<{ readonly exitCode: number; readonly value: Readonly<Record<string, unknown>> }> {
  const args = line.replace('SET', `--set ${join(workspace.root, 'set.json')}`).split(' ');
  const config = ['--kubeconfig', join(workspace.root, 'kubeconfig'), '--context', 'fake'];
  const { exitCode, stdout } = await runInProcess(workspace.root, [
    ...['--json', '-q', 'deploy'],
    ...args,
    ...config,
  ]);
  return { exitCode, value: JSON.parse(stdout) as Record<string, unknown> };
}

/** The exit code, state and faults of the answer of `ccp deploy LINE --json`. */
async function deploy(name: string, line: string): Promise<object> {
  const { exitCode, value } = await answerOf(line);
  return { exitCode, state: value['state'], faults: answerFaults(name, value) };
}

/** Answers in the order of the commands: name, command line, and differences from exit code 0. */
const ROWS: readonly (readonly [name: string, line: string, expected?: object])[] = [
  ['ccp deploy history', 'history example'],
  ['ccp deploy delete', 'delete example'],
  ['ccp deploy plan', 'plan example SET'],
  ['ccp deploy apply', 'apply example SET --checks', { state: 'good' }],
  ['ccp deploy apply', 'apply example SET', { state: 'unchanged' }],
  ['ccp deploy upgrade', 'upgrade example SET', { state: 'unchanged' }],
  ['ccp deploy scale', 'scale example SET memcached.memcached=2', { state: 'good' }],
  ['ccp deploy status', 'status example'],
  ['ccp deploy wait', 'wait example --checks'],
  ['ccp deploy diff', 'diff example'],
  ['ccp deploy plan', 'rollback example --to 1 --plan'],
  ['ccp deploy rollback', 'rollback example --to 1', { state: 'good' }],
  ['ccp deploy history', 'history example'],
  ['ccp deploy logs', 'logs example keystone/workload/api'],
  ['ccp deploy action list', 'action list example'],
  ['ccp deploy action run', 'action run example mariadb backup'],
  [
    'ccp deploy action run',
    'action run example keystone rotate SET --param secret=database',
    { state: 'good' },
  ],
  ['ccp deploy support-bundle', 'support-bundle example'],
  ['error', 'status exampel', { exitCode: 2 }],
];
const CASES = ROWS.map(([name, line, expected = {}]) => ({ name, line, expected }));

it.each(CASES)('describes the answer of $name: $line', async ({ name, line, expected }) => {
  expect(await deploy(name, line)).toEqual({ exitCode: 0, faults: [], ...expected });
});

it('describes a rotation that is not due, and rotates when it is', async () => {
  const rotate = async (name: string, days: number): Promise<object> => {
    const metadata = { name, namespace: 'openstack' };
    await cluster.apply({ apiVersion: 'v1', kind: 'Secret', metadata }, { fieldManager: 'test' });
    const param = `--param secret=admin --param older-than=${days}`;
    const { exitCode, value } = await answerOf(`action run example rabbitmq rotate SET ${param}`);
    expect(answerFaults('ccp deploy action run', value)).toEqual([]);
    const { rotated, state, generation } = value;
    return { exitCode, ...omitUndefined({ rotated, state, generation }) };
  };
  expect(await rotate('rabbitmq-admin', 99_999)).toEqual({
    exitCode: 0,
    rotated: false,
    generation: 1,
  });
  expect(await rotate('rabbitmq-admin', 0)).toEqual({ exitCode: 0, state: 'good' });
  expect(await rotate('rabbitmq-admin-g2', 99_999)).toEqual({
    exitCode: 0,
    rotated: false,
    generation: 2,
  });
});

it('refuses to change a site that the operator reconciles, and leaves site.yaml as it is', async () => {
  const resource = {
    apiVersion: 'ccp.openstack.org/v1alpha1',
    kind: 'OpenStackRelease',
    name: 'example',
    namespace: 'openstack',
  };
  cluster.store.put(resource, { object: { spec: {} }, owners: [] });
  const file = join(workspace.root, 'deploy-specs/example/site.yaml');
  const before = readFileSync(file, 'utf8');
  const lines = [
    'apply example SET',
    'upgrade example SET',
    'scale example SET memcached.memcached=3',
    'delete example --yes',
    'action run example keystone rotate SET --param secret=database',
    'action run example mariadb restore --param name=nightly',
  ];
  for (const line of lines) {
    const { exitCode, value } = await answerOf(line);
    const [error] = (value['errors'] ?? []) as readonly { readonly code: string }[];
    expect([line, exitCode, error?.code]).toEqual([line, 7, 'deploy-managed']);
  }
  expect(readFileSync(file, 'utf8')).toBe(before);
  await cluster.delete(resource);
});

it('describes a plan that is refused, and drift', async () => {
  const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'keystone-api' };
  cluster.edit(
    { ...ref, namespace: 'openstack' },
    (object) => void ((object['spec'] as { replicas: number }).replicas = 7),
    'kubectl-scale',
  );
  expect(await deploy('ccp deploy plan', 'plan example SET')).toEqual({ exitCode: 7, faults: [] });
  for (const name of ['diff', 'status'])
    expect(await deploy(`ccp deploy ${name}`, `${name} example`)).toEqual({
      exitCode: 7,
      faults: [],
    });
  const taken = await deploy('ccp deploy apply', 'apply example SET --take .spec.replicas');
  expect(taken).toEqual({ exitCode: 0, state: 'good', faults: [] });
});

it('describes failures', async () => {
  jobs = 'crashes';
  const run = await deploy('ccp deploy action run', 'action run example mariadb backup');
  expect(run).toEqual({ exitCode: 7, faults: [] });
  const set = readFileSync(join(workspace.root, 'set.json'), 'utf8');
  workspace.write('set.json', set.replace(/sha256:[0-9a-f]{64}/, `sha256:${'1'.repeat(64)}`));
  for (const [line, state] of [
    ['apply example SET', 'failed'],
    ['status example', undefined],
    ['wait example', undefined],
    ['history example', undefined],
  ] as const) {
    const name = `ccp deploy ${line.split(' ')[0]}`;
    const exitCode = name.endsWith('history') ? 0 : 7;
    expect(await deploy(name, line), line).toEqual({ exitCode, state, faults: [] });
  }
  jobs = 'well';
});

it('describes the plan of an upgrade with migrations', async () => {
  const setWith = (content: string, revisions: object): string => {
    const set = JSON.parse(missingImageSet(EXAMPLE_IMAGES)) as ImageSet;
    const specs = setAppSpecs({ root: workspace.root, memo: runMemo() }, EXAMPLE_IMAGES);
    const images = set.images.map((image) => ({
      ...image,
      ...omitUndefined({ app: specs.get(image.name) }),
      contentKey: digestOf(image.name),
      ...(image.name === 'keystone' ? { digest: digestOf(content), schema: revisions } : {}),
    }));
    return JSON.stringify({ ...set, format: 2, images });
  };
  const drops = [{ class: 'destructive', text: 'drops a column', line: 3 }];
  workspace.write('set.json', setWith('one', { a: {} }));
  expect(await deploy('ccp deploy apply', 'apply example SET')).toMatchObject({ state: 'good' });
  workspace.write('set.json', setWith('two', { a: {}, b: { file: 'b.py', changes: drops } }));
  const answer = await answerOf('plan example SET');
  expect(answerFaults('ccp deploy plan', answer.value)).toEqual([]);
  expect(answer.value['schemaHops']).toMatchObject([
    { instance: 'keystone', stops: ['Deployment/keystone-api'], rollback: 'no' },
  ]);
  expect(answer.value['rendered']).toMatchObject({ schemas: expect.anything() as object });
  expect(await deploy('ccp deploy apply', 'apply example SET')).toMatchObject({ state: 'good' });
  workspace.write('set.json', setWith('one', { a: {} }));
  const back = await answerOf('plan example SET');
  expect(answerFaults('ccp deploy plan', back.value)).toEqual([]);
  expect(back.value['removedSchemas']).toMatchObject([{}]);
});

it('describes a deletion', async () => {
  for (const [line, exitCode] of [
    ['delete example', 2],
    ['delete example --yes', 0],
  ] as const)
    expect(await deploy('ccp deploy delete', line)).toEqual({ exitCode, faults: [] });
});
