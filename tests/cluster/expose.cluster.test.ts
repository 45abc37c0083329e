import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { digestOf } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs } from '#definitions/deploy';
import { type Cluster, systemClock } from '#ports';
import {
  applySite,
  checkSecrets,
  checkStorage,
  checkIngress,
  deleteSite,
  type DeployResult,
  resultLines,
  secretNames,
  statusNow,
} from '#rollout';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { REPOSITORY } from '../helpers/ccp.ts';
import { example, startExampleCluster } from '../helpers/cluster/example-site.ts';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import { installGatewayKinds, simulateGateways } from '../helpers/cluster/gateway-kinds.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
const ending = new AbortController();
beforeAll(async () => {
  test = await startExampleCluster();
});
afterAll(async () => {
  ending.abort();
  await test?.stop();
});

const TLS = { secret: 'certificate' };

/** The example site with its host exposed. */
const exposed = (expose: NonNullable<Site['expose']>): Site => ({ ...example, expose, tls: TLS });
const rendered = (expose: NonNullable<Site['expose']>): RenderedSite => laidOut(exposed(expose));
function laidOut(site: Site): RenderedSite {
  const images = EXAMPLE_IMAGES.map((name) => ({ name, digest: digestOf(name) }));
  return renderChecked({
    site,
    appSpecs: readAppSpecs(REPOSITORY),
    imageSet: { series: example.series, images } as never,
  });
}

async function apply(
  site: RenderedSite,
): Promise<DeployResult & { readonly writes: readonly string[] }> {
  const writes: string[] = [];
  const { cluster } = test;
  const counted: Cluster = {
    ...cluster,
    apply: (object, options) => (
      options.dryRun === true || writes.push(`${object.kind}/${object.metadata.name}`),
      cluster.apply(object, options)
    ),
    delete: (ref, options) => (
      writes.push(`delete ${ref.kind}/${ref.name}`),
      cluster.delete(ref, options)
    ),
  };
  const result = await applySite(counted, example, site, {
    by: 'test@here',
    run: `run ${Math.random()}`,
    clock: systemClock,
    emit: () => undefined,
  });
  return { ...result, writes };
}

const INGRESS = { ingress: { class: 'nginx', annotations: { 'example.org/a': 'b' } } };
const GATEWAY = { gateway: { class: 'shiny' } };
const status = async (id: string): Promise<string> =>
  (await statusNow(test.cluster, example)).steps.find((step) => step.id === id)!.state;

it('reports missing kinds of the cluster before any write', async () => {
  await expect(apply(rendered(GATEWAY))).rejects.toMatchObject({
    findings: [
      expect.objectContaining({
        code: 'deploy-kind-unknown',
        message: 'test does not have the kind Gateway of gateway.networking.k8s.io/v1',
        hint: 'install the Gateway API and a controller for it, or expose hosts with an Ingress',
      }),
      expect.objectContaining({
        message: 'test does not have the kind HTTPRoute of gateway.networking.k8s.io/v1',
      }),
    ],
  });
  expect(
    await test.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: example.namespace }),
  ).toBeUndefined();
});

it('creates an Ingress, and does not change it the second time', async () => {
  expect(resultLines(await apply(rendered(INGRESS)))).toEqual([
    'example: revision 1 is good, 13 of 13 steps done',
  ]);
  expect((await apply(rendered(INGRESS))).writes).toEqual([]);
  expect(await status('keystone/expose/api')).toBe('done');
});

it('reports a missing IngressClass', async () => {
  await expect(checkIngress(test.cluster, exposed(INGRESS))).rejects.toMatchObject({
    code: 'deploy-ingress-missing',
    message: 'test has no IngressClass/nginx',
  });
  await test.cluster.apply(
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'nginx' },
      spec: { controller: 'example.org/test' },
    },
    { fieldManager: 'test' },
  );
  await checkIngress(test.cluster, exposed(INGRESS));
});

it('reports a missing Secret', async () => {
  const names = async () => (await secretNames(test.cluster, example))!;
  await expect(
    names().then((there) => checkSecrets(rendered(INGRESS), example, there)),
  ).rejects.toMatchObject({
    message:
      'the Secret "certificate" does not exist in the namespace "openstack", and Ingress/keystone-api needs it',
  });
  await test.cluster.create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'certificate', namespace: example.namespace },
    },
    { fieldManager: 'test' },
  );
  checkSecrets(rendered(INGRESS), example, await names());
});

it('reports claims without an existing storage class', async () => {
  const { cluster } = test;
  const check = (storage: Site['storage']): Promise<void> =>
    checkStorage(cluster, { ...example, storage }, laidOut({ ...example, storage }));
  /** The server's default class for a claim without a class. */
  const defaultClass = async (): Promise<unknown> => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'unclassed', namespace: example.namespace },
      spec,
    };
    const outcome = await cluster.apply(claim, { fieldManager: 'test', dryRun: true });
    return outcome.outcome === 'applied'
      ? (outcome.object['spec'] as { readonly storageClassName?: string }).storageClassName
      : outcome;
  };
  await check(example.storage);
  await expect(check({ default: 'standrad' })).rejects.toMatchObject({
    message: 'test has no StorageClass/standrad',
    hint: 'did you mean "standard"?',
  });
  expect(await defaultClass()).toBeUndefined();
  await expect(check({})).rejects.toMatchObject({
    message:
      'test has no default StorageClass, and the site sets none for the claims of mariadb, rabbitmq',
    hint: 'set storage.default; the cluster has fast, standard',
  });
  const usual = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'usual' };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await cluster.create(
    {
      apiVersion: usual.apiVersion,
      kind: usual.kind,
      metadata: { name: usual.name, annotations },
      provisioner: 'example.org/test',
    },
    { fieldManager: 'test' },
  );
  // The server's admission plugin watches classes and may be late.
  await vi.waitFor(async () => expect(await defaultClass()).toBe('usual'), { timeout: 5000 });
  await check({});
  await cluster.delete(usual);
});

it('replaces the Ingress with a Gateway and its routes', async () => {
  await installGatewayKinds(test.cluster);
  void simulateGateways(test, ending.signal);
  const moved = await apply(rendered(GATEWAY));
  expect(resultLines(moved)).toEqual(['example: revision 2 is good, 14 of 14 steps done']);
  expect(moved.writes).toEqual(
    expect.arrayContaining([
      'Gateway/example',
      'HTTPRoute/keystone-api',
      'HTTPRoute/keystone-api-redirect',
      'delete Ingress/keystone-api',
    ]),
  );
  expect((await apply(rendered(GATEWAY))).writes).toEqual([]);
  expect(await Promise.all(['gateway', 'keystone/expose/api'].map(status))).toEqual([
    'done',
    'done',
  ]);
});

it('is deleted with the site, except for the certificate of another manager', async () => {
  const { failures } = await deleteSite(test.cluster, example, {
    by: 'test@here',
    run: 'delete',
    clock: systemClock,
    emit: () => undefined,
    claims: true,
    secrets: true,
  });
  expect(failures).toEqual([]);
  const left = await Promise.all(
    ['Gateway', 'HTTPRoute'].map(
      async (kind) =>
        (
          await test.cluster.list(
            { apiVersion: 'gateway.networking.k8s.io/v1', kind },
            { namespace: example.namespace },
          )
        ).items,
    ),
  );
  expect(left.flat()).toEqual([]);
  expect([...(await secretNames(test.cluster, example))!]).toEqual(['Secret/certificate']);
});
