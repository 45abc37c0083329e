import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { ReplicatedWorkload, Site } from '#definitions';
import { readAppSpecs } from '#definitions/deploy';
import { type Cluster, type LiveObject, systemClock } from '#ports';
import {
  type ApplyOptions,
  applySite,
  deleteSite,
  type DeployEvent,
  type DeployResult,
  findRollback,
  makePlan,
  resultLines,
} from '#rollout';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { REPOSITORY } from '../helpers/ccp.ts';
import { crashing } from '../helpers/cluster/crashing-site.ts';
import { example, startExampleCluster } from '../helpers/cluster/example-site.ts';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import { POD_LOG } from '../helpers/cluster/kwok-nodes.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startExampleCluster();
});
afterAll(async () => {
  await test?.stop();
});

/**
 * The example site, with ordered memcached pods. `release` selects keystone's image, `debug` is one
 * of its options.
 */
function rendered({
  release = 'one',
  debug = false,
}: { readonly release?: string; readonly debug?: boolean } = {}): RenderedSite {
  const keystone = {
    ...example.apps['keystone'],
    config: { 'keystone.conf': { DEFAULT: { debug } } },
  };
  const site: Site = { ...example, apps: { ...example.apps, keystone } };
  const images = EXAMPLE_IMAGES.map((name) => ({
    name,
    digest: digestOf(name === 'keystone' ? release : name),
  }));
  const appSpecs = new Map(readAppSpecs(REPOSITORY));
  const memcached = appSpecs.get('memcached')!;
  appSpecs.set('memcached', {
    ...memcached,
    workloads: {
      memcached: { ...(memcached.workloads['memcached'] as ReplicatedWorkload), start: 'ordered' },
    },
  });
  return renderChecked({ site, appSpecs, imageSet: { series: site.series, images } as never });
}

interface Spec {
  readonly ports: { port: number }[];
  readonly template: {
    readonly spec: { readonly containers: readonly { readonly env: object[] }[] };
  };
}

let runs = 0;
async function apply(
  site: RenderedSite,
  options: Partial<ApplyOptions> = {},
): Promise<
  DeployResult & {
    readonly writes: readonly string[];
    readonly seconds: number;
    readonly events: readonly DeployEvent[];
  }
> {
  const writes: string[] = [];
  const events: DeployEvent[] = [];
  const start = Date.now();
  const noted =
    <A extends readonly unknown[], R>(verb: string, call: (...given: A) => R) =>
    (...given: A): R => {
      if ((given[1] as { dryRun?: boolean } | undefined)?.dryRun !== true)
        writes.push(`${verb} ${JSON.stringify(given[0]).slice(0, 80)}`);
      return call(...given);
    };
  const { cluster } = test;
  const counted: Cluster = {
    ...cluster,
    apply: noted('apply', cluster.apply),
    create: noted('create', cluster.create),
    update: noted('update', cluster.update),
    delete: noted('delete', cluster.delete),
  };
  const result = await applySite(counted, example, site, {
    by: 'test@here',
    run: `run ${++runs}`,
    clock: systemClock,
    emit: (event) => void events.push(event),
    ...options,
  });
  return { ...result, writes, events, seconds: (Date.now() - start) / 1000 };
}

async function pods(instance: string): Promise<readonly LiveObject[]> {
  const { items } = await test.cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace: example.namespace, labelSelector: `app.kubernetes.io/instance=${instance}` },
  );
  return items.filter(
    ({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind !== 'Job') === true,
  );
}
const uids = async (instances: readonly string[]): Promise<readonly string[]> =>
  (await Promise.all(instances.map(pods)))
    .flat()
    .map(({ metadata }) => metadata.uid)
    .sort();
const OTHERS = ['mariadb', 'memcached', 'rabbitmq'];

describe('the example site on a real control plane', () => {
  it('is installed, and a second apply sends no write', async () => {
    expect(resultLines(await apply(rendered()))).toEqual([
      'example: revision 1 is good, 12 of 12 steps done',
    ]);
    const again = await apply(rendered());
    expect(again.writes).toEqual([]);
    expect(again.state).toBe('unchanged');
    expect(again.seconds).toBeLessThan(3);
  });

  it("replaces only keystone's pods when an option of keystone changes", async () => {
    const [others, keystone] = [await uids(OTHERS), await uids(['keystone'])];
    const result = await apply(rendered({ debug: true }));
    expect(result.state).toBe('good');
    expect(result.plan.rolls.map(({ key, pods: number, why }) => [key, number, ...why])).toEqual([
      [
        'Deployment/keystone-api',
        3,
        'keystone.conf: - [DEFAULT] debug = false',
        'keystone.conf: + [DEFAULT] debug = true',
      ],
    ]);
    expect(await uids(OTHERS)).toEqual(others);
    expect((await uids(['keystone'])).filter((uid) => keystone.includes(uid))).toEqual([]);
    expect((await apply(rendered({ debug: true }))).writes).toEqual([]);
  });

  it('reports a broken release with container, exit code and output within a minute, and rolls back', async () => {
    const broken = await apply(
      crashing(rendered({ release: 'two', debug: true }), 'Deployment/keystone-api'),
    );
    expect(broken.state).toBe('failed');
    expect(broken.seconds).toBeLessThan(60);
    const lines = resultLines(broken);
    expect(lines[0]).toMatch(
      /^x Deployment\/keystone-api .*; pod keystone-api-[a-z0-9-]+: container "api" exited with code 1, restarted 5 times$/,
    );
    expect(lines).toContain(`      | ${POD_LOG.trimEnd().split('\n').at(-1)}`);
    const { record, rendered: before } = await findRollback(test.cluster, example);
    expect(record.revision).toBe(2);
    expect(resultLines(await apply(before, { rollbackTo: record.revision })).at(-1)).toBe(
      'example: revision 4 is good, 12 of 12 steps done',
    );
    expect(
      (await pods('keystone')).map(({ metadata }) => metadata.annotations?.['test/failure']),
    ).toEqual([undefined, undefined, undefined]);
  });

  it('reports and keeps fields of other managers, and removes an invalid field with --take', async () => {
    const { cluster } = test;
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name: 'keystone-api',
      namespace: example.namespace,
    };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      name: 'keystone-api',
      namespace: example.namespace,
    };
    const edit = async (
      ref: typeof service,
      manager: string,
      change: (spec: Spec) => void,
    ): Promise<void> => {
      const live = structuredClone((await cluster.get(ref))!);
      change(live['spec'] as unknown as Spec);
      expect(await cluster.update(live, { fieldManager: manager })).toMatchObject({
        outcome: 'updated',
      });
    };
    await edit(
      deployment,
      'kubectl-set',
      ({ template }) => void template.spec.containers[0]!.env.push({ name: 'FOO', value: 'bar' }),
    );
    const site = rendered({ debug: true });
    const left = await apply(site);
    expect([left.state, left.writes]).toEqual(['unchanged', []]);
    const plan = await makePlan(cluster, example, site);
    const fields = plan.objects.flatMap(({ key, added = [] }) =>
      added.map(({ manager, field }) => [key, manager, field]),
    );
    expect(fields).toEqual([
      [
        'Deployment/keystone-api',
        'kubectl-set',
        '.spec.template.spec.containers[name="api"].env[name="FOO"]',
      ],
    ]);

    await edit(service, 'kubectl-patch', ({ ports }) => void (ports[0]!.port = 5001));
    const field = 'spec.ports[port=5001,protocol="TCP"]';
    await expect(apply(site)).rejects.toMatchObject({
      message:
        'Service/keystone-api cannot be applied: spec.ports[1].name: Duplicate value: "http"',
      hint: `kubectl-patch has added .${field}; remove it with --take 'Service/keystone-api:${field}'`,
    });
    const rules = [
      { field, policy: 'take' as const },
      { object: 'Deployment/keystone-api', field: 'spec.template', policy: 'take' as const },
    ];
    const { generation } = (await cluster.get(deployment))!.metadata;
    expect((await apply(site, { rules })).state).toBe('good');
    expect((await cluster.get(service))!['spec']).toMatchObject({
      ports: [{ name: 'http', port: 5000 }],
    });
    const after = (await cluster.get(deployment))!;
    expect(JSON.stringify(after['spec'])).not.toContain('FOO');
    expect(after.metadata.generation).toBe(generation! + 1);
    expect((await apply(site)).writes).toEqual([]);
  });

  it('keeps its lock while the API server does not respond, and continues', async () => {
    const waits = Promise.withResolvers<void>();
    const running = apply(rendered(), {
      emit: ({ type }) => type === 'step-waits' && waits.resolve(),
    });
    await waits.promise;
    await test.pauseApiServer(20_000);
    expect((await running).state).toBe('good');
  });

  it('repairs a StatefulSet whose controller would wait for broken pods forever', async () => {
    const broken = await apply(crashing(rendered({ debug: true }), 'StatefulSet/memcached'));
    expect(broken.state).toBe('failed');
    const healed = await apply(rendered({ debug: true }));
    expect(healed.state).toBe('good');
    expect(
      healed.events.filter((event) => event.type === 'written' && event.action === 'unstick'),
    ).toHaveLength(1);
  });

  it('is deleted except for its claims, which are deleted on request', async () => {
    const options = { by: 'test@here', run: 'delete', clock: systemClock, emit: () => undefined };
    const first = await deleteSite(test.cluster, example, {
      ...options,
      claims: false,
      secrets: false,
    });
    expect(first.failures).toEqual([]);
    expect(first.kept.filter((key) => key.startsWith('PersistentVolumeClaim/')).sort()).toEqual(
      [
        'data-mariadb-0',
        'data-mariadb-1',
        'data-mariadb-2',
        'data-rabbitmq-0',
        'data-rabbitmq-1',
        'data-rabbitmq-2',
      ].map((name) => `PersistentVolumeClaim/${name}`),
    );
    const kinds = [
      'v1 ConfigMap',
      'v1 Service',
      'v1 Pod',
      'apps/v1 Deployment',
      'apps/v1 StatefulSet',
      'batch/v1 Job',
      'policy/v1 PodDisruptionBudget',
      'coordination.k8s.io/v1 Lease',
    ];
    const left = await Promise.all(
      kinds.map(async (text) => {
        const [apiVersion = '', kind = ''] = text.split(' ');
        return (
          await test.cluster.list({ apiVersion, kind }, { namespace: example.namespace })
        ).items.map(({ metadata }) => `${kind}/${metadata.name}`);
      }),
    );
    expect(left.flat()).toEqual(['ConfigMap/kube-root-ca.crt']);
  });
});
