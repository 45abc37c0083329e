import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '#engines';
import { runOperator, type ManagedResource } from '#operator';
import { type LiveObject, systemClock } from '#ports';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { accountKubeconfig } from '../helpers/cluster/account-kubeconfig.ts';
import { startExampleCluster } from '../helpers/cluster/example-site.ts';
import { BROKEN, exampleSource, GOOD } from '../helpers/cluster/example-source.ts';
import { isWaitOver, kstatus } from '../helpers/cluster/kstatus.ts';
import { readTable } from '../helpers/cluster/read-table.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const OPERATOR = 'ccp-operator';
const NAMESPACE = 'openstack';
const API = 'ccp.openstack.org/v1alpha1';
const RELEASE = {
  apiVersion: API,
  kind: 'OpenStackRelease',
  name: 'example',
  namespace: NAMESPACE,
};
const SITE = readFileSync(join(REPOSITORY, 'deploy-specs/example/site.yaml'), 'utf8');

let test: TestCluster;
let workspace: TestWorkspace;
let imageSet: string;
const stop = new AbortController();
let over: Promise<void> = Promise.resolve();
let disconnect = (): void => undefined;
const outcomes: string[] = [];

beforeAll(async () => {
  test = await startExampleCluster(5);
  ({ workspace, imageSet } = exampleWorkspace());
});
afterAll(async () => {
  stop.abort();
  await over.catch(() => undefined);
  disconnect();
  workspace?.remove();
  await test?.stop();
});

const operator = async (...args: readonly string[]) =>
  await ccp(workspace.root, ['operator', ...args, '--kubeconfig', test.kubeconfig]);
const put = async (spec: object, ref: object = RELEASE) => {
  const { apiVersion, kind, ...metadata } = { ...RELEASE, ...ref };
  return await test.cluster.apply(
    { apiVersion, kind, metadata, spec },
    { fieldManager: 'user', force: true },
  );
};
const specOf = (digest: string, site: string, rest: object = {}): object => ({
  set: { registry: 'registry.example.org/ccp', digest },
  site: { inline: site },
  ...rest,
});
const resource = async (): Promise<ManagedResource | undefined> =>
  (await test.cluster.get(RELEASE)) as ManagedResource | undefined;
async function until(
  is: (resource: ManagedResource | undefined) => boolean,
): Promise<ManagedResource | undefined> {
  for (const end = Date.now() + 60_000; ; await setTimeout(200)) {
    const live = await resource();
    if (is(live)) return live;
    if (Date.now() > end)
      throw new Error(`${outcomes.join(', ')}\n${JSON.stringify(live?.status, undefined, 1)}`);
  }
}
const current = (live: LiveObject | undefined): boolean =>
  live !== undefined && kstatus(live) === 'Current';
const condition = (live: ManagedResource | undefined, type: string): string | undefined => {
  const found = live?.status?.conditions?.find((each) => each.type === type);
  return found && `${found.status} ${found.reason}`;
};
/** Pods of workloads: uid -> instance. */
async function pods(): Promise<Readonly<Record<string, string>>> {
  const { items } = await test.cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace: NAMESPACE },
  );
  return Object.fromEntries(
    items
      .filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind !== 'Job'))
      .map(({ metadata }) => [metadata.uid, metadata.labels!['app.kubernetes.io/instance']!]),
  );
}

describe('the operator on a real control plane', () => {
  it('is installed by a command, twice, and its definitions are established', async () => {
    for (const _ of [1, 2]) {
      const { exitCode, stdout, stderr } = await operator(
        'install',
        'example',
        '--set',
        imageSet,
        '--image',
        'registry.example.org/ccp/entrypoint@' + GOOD,
      );
      expect(exitCode, stderr).toBe(0);
      expect(stdout).toMatch(/^\d+ objects of the operator applied in ccp-operator\n$/);
    }
    for (const plural of ['openstackreleases', 'openstackservices'])
      await expect
        .poll(async () => {
          const live = await test.cluster.get({
            apiVersion: 'apiextensions.k8s.io/v1',
            kind: 'CustomResourceDefinition',
            name: `${plural}.ccp.openstack.org`,
          });
          const { conditions = [] } = (live?.['status'] ?? {}) as {
            readonly conditions?: readonly { readonly type: string; readonly status: string }[];
          };
          return conditions.filter(({ status }) => status === 'True').map(({ type }) => type);
        })
        .toEqual(['NamesAccepted', 'Established']);
    await expect
      .poll(
        async () =>
          (
            await test.cluster.get({
              apiVersion: 'apps/v1',
              kind: 'Deployment',
              name: OPERATOR,
              namespace: OPERATOR,
            })
          )?.['status'],
        { message: 'pod security admits its pods' },
      )
      .toMatchObject({ readyReplicas: 1 });
    const { cluster, close } = await connectCluster({
      kubeconfig: await accountKubeconfig(test, { name: OPERATOR, namespace: OPERATOR }),
    });
    disconnect = close;
    over = runOperator({
      cluster,
      clock: systemClock,
      source: exampleSource,
      by: 'ccp-operator@test',
      run: 'this test',
      namespace: OPERATOR,
      signal: stop.signal,
      report: (event) => {
        if (event.type === 'reconciled') outcomes.push(event.outcome);
        if (event.type === 'note') outcomes.push(event.message);
      },
    });
    over.catch((thrown: unknown) => outcomes.push(String(thrown)));
  });

  it('has resources whose bad values the API server refuses with a reason', async () => {
    const refusal = async (spec: object, ref: object = {}): Promise<string> => {
      const outcome = await put(spec, { name: 'paused', ...ref });
      return outcome.outcome === 'invalid' ? outcome.message : outcome.outcome;
    };
    const good = specOf(GOOD, SITE);
    const service = { kind: 'OpenStackService' };
    expect(await refusal({ ...good, site: { inline: 'x', artifact: `a@${GOOD}` } })).toContain(
      'exactly one of inline, configMap and artifact must be set',
    );
    expect(await refusal({ ...good, site: {} })).toContain('exactly one of inline');
    expect(await refusal({ ...good, contract: 'after' })).toContain(
      'contract: after needs contractAfter',
    );
    expect(await refusal({ ...good, approvedPlan: 'a'.repeat(64) })).toContain(
      'approvedPlan needs approve: plan',
    );
    expect(await refusal(specOf('latest', SITE))).toContain('spec.set.digest');
    expect(await refusal({ ...good, rollback: 'sometimes' })).toContain(
      'supported values: "never", "onFailure"',
    );
    expect(await refusal(good, { name: 'a'.repeat(31) })).toContain(
      'the name of a site has at most 30 characters',
    );
    expect(await refusal(good, service)).toContain('spec.app');
    const paused = { ...good, app: 'keystone', paused: true };
    expect(await refusal(paused, service)).toBe('applied');
    expect(await refusal({ ...paused, app: 'mariadb' }, service)).toContain(
      'app cannot be changed',
    );
    await test.cluster.delete({ ...RELEASE, ...service, name: 'paused' });
  });

  it('installs the site of a resource, which is then ready for readers of kstatus', async () => {
    await put(specOf(GOOD, SITE));
    const states: string[] = [];
    const live = (await until((each) => {
      const state = each === undefined ? '' : kstatus(each);
      if (each !== undefined && isWaitOver(each)) expect(state).toBe('Current');
      if (state !== states.at(-1)) states.push(state);
      return current(each);
    }))!;
    expect(states).toEqual(['InProgress', 'Current']);
    expect(live.status).toMatchObject({
      revision: 1,
      set: GOOD,
      rollback: { allowed: false },
      services: ['keystone', 'mariadb', 'memcached', 'rabbitmq'].map((name) => ({
        name,
        state: 'ready',
      })),
    });
    const path = `/apis/${API}/namespaces/${NAMESPACE}/openstackreleases`;
    expect(await readTable(test, path)).toMatchObject([
      {
        Name: 'example',
        Ready: 'True',
        Reason: 'Healthy',
        Revision: 1,
        Upgrade: 'UpToDate',
        Message: 'revision 1 is good',
      },
    ]);
    expect((await test.cluster.events(RELEASE)).map(({ reason }) => reason)).toContain('Applied');
  });

  it("replaces only keystone's pods when an option of keystone changes", async () => {
    const before = await pods();
    await put(specOf(GOOD, SITE.replace('debug: false', 'debug: true')));
    await until(current);
    const after = await pods();
    const replaced = Object.keys(before).filter((uid) => !(uid in after));
    expect([...new Set(replaced.map((uid) => before[uid]))]).toEqual(['keystone']);
    expect(replaced).toHaveLength(3);
  });

  it('rolls a broken image back, and names its container and last line', async () => {
    const site = SITE.replace('debug: false', 'debug: true');
    await put(specOf(BROKEN, site, { rollback: 'onFailure' }));
    const live = await until((each) => condition(each, 'Stalled') === 'True RolledBack');
    expect(kstatus(live!)).toBe('Failed');
    expect(live?.status).toMatchObject({
      revision: 4,
      lastFailure: {
        revision: 3,
        object: 'Deployment/keystone-api',
        container: 'api',
        exitCode: 1,
        lastLine: 'ERROR cannot continue: simulated failure',
      },
    });
    await put(specOf(GOOD, site));
    await until(current);
  });

  it('scales a database whose Role names each of its pods', async () => {
    const site = SITE.replace('debug: false', 'debug: true');
    await put(specOf(GOOD, site.replace('{ mariadb: 3 }', '{ mariadb: 5 }')));
    await until(current);
    const scaled = Object.values(await pods()).filter((instance) => instance === 'mariadb');
    expect(scaled).toHaveLength(5);
  });

  it('deletes the site with a confirmed resource, keeps claims, and is uninstalled', async () => {
    await test.cluster.delete(RELEASE);
    await until((each) => condition(each, 'Stalled') === 'True DeletionUnconfirmed');
    expect(Object.keys(await pods())).not.toEqual([]);
    const used = await operator('uninstall');
    expect(used.stderr).toContain(
      'the operator still has 1 resource, like OpenStackRelease/example',
    );
    const live = (await resource())!;
    const annotations = { 'ccp.openstack.org/confirm-deletion': 'example' };
    await test.cluster.update(
      { ...live, metadata: { ...live.metadata, annotations } },
      { fieldManager: 'user' },
    );
    await until((each) => each === undefined);
    const left = async (kind: string) =>
      (
        await test.cluster.list(
          { apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1', kind },
          { namespace: NAMESPACE },
        )
      ).items;
    expect(await left('Deployment')).toEqual([]);
    expect(await left('PersistentVolumeClaim')).toHaveLength(8);
    stop.abort();
    await over;
    const removed = await operator('uninstall');
    expect([removed.exitCode, removed.stderr]).toEqual([0, '']);
    expect(removed.stdout).toMatch(/^\d+ objects of the operator removed from ccp-operator\n$/);
    await expect
      .poll(
        async () =>
          await test.cluster.get({
            apiVersion: 'apiextensions.k8s.io/v1',
            kind: 'CustomResourceDefinition',
            name: 'openstackreleases.ccp.openstack.org',
          }),
      )
      .toBeUndefined();
  });
});
