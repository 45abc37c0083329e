import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { digestOf } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs } from '#definitions/deploy';
import {
  applySite,
  checkSecrets,
  checkStorage,
  checkWays,
  deleteSite,
  layOutSite,
  machineClock,
  resultLines,
  secretNames,
  statusNow,
  type DeployResult,
  type RenderedSite,
} from '#deploy';
import type { Cluster } from '#ports';
import { REPOSITORY } from '../support/ccp.ts';
import { example, EXAMPLE_IMAGES, startExampleCluster } from './example-site.ts';
import { installGatewayKinds, playGateways } from './gateway-kinds.ts';
import type { TestCluster } from './start-test-cluster.ts';

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

/** The example site, its one host exposed. */
const exposed = (expose: NonNullable<Site['expose']>): Site => ({ ...example, expose, tls: TLS });
const rendered = (expose: NonNullable<Site['expose']>): RenderedSite => laidOut(exposed(expose));
function laidOut(site: Site): RenderedSite {
  const images = EXAMPLE_IMAGES.map((name) => ({ name, digest: digestOf(name) }));
  return layOutSite({ site, appSpecs: readAppSpecs(REPOSITORY), imageSet: { series: example.series, images } as never });
}

async function apply(site: RenderedSite): Promise<DeployResult & { readonly writes: readonly string[] }> {
  const writes: string[] = [];
  const { cluster } = test;
  const counted: Cluster = {
    ...cluster,
    apply: (object, options) => (options.dryRun === true || writes.push(`${object.kind}/${object.metadata.name}`), cluster.apply(object, options)),
    delete: (ref, options) => (writes.push(`delete ${ref.kind}/${ref.name}`), cluster.delete(ref, options)),
  };
  const result = await applySite(counted, example, site, { by: 'test@here', run: `run ${Math.random()}`, clock: machineClock, emit: () => undefined });
  return { ...result, writes };
}

const INGRESS = { ingress: { class: 'nginx', annotations: { 'example.org/a': 'b' } } };
const GATEWAY = { gateway: { class: 'shiny' } };
const status = async (id: string): Promise<string> => (await statusNow(test.cluster, example)).steps.find((step) => step.id === id)!.state;

it('names the kinds that a cluster lacks before any write', async () => {
  await expect(apply(rendered(GATEWAY))).rejects.toMatchObject({
    findings: [
      expect.objectContaining({
        code: 'deploy-kind-unknown',
        message: 'test knows no Gateway of gateway.networking.k8s.io/v1',
        hint: 'install the Gateway API with a controller for it, or expose hosts by ingress',
      }),
      expect.objectContaining({ message: 'test knows no HTTPRoute of gateway.networking.k8s.io/v1' }),
    ],
  });
  expect(await test.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: example.namespace })).toBeUndefined();
});

it('makes an Ingress, and leaves it alone the second time', async () => {
  expect(resultLines(await apply(rendered(INGRESS)))).toEqual(['example: revision 1 is good, 12 of 12 steps done']);
  expect((await apply(rendered(INGRESS))).writes).toEqual([]);
  expect(await status('keystone/expose/api')).toBe('done');
});

it('misses the class that nobody serves', async () => {
  await expect(checkWays(test.cluster, exposed(INGRESS))).rejects.toMatchObject({ code: 'deploy-way-missing', message: 'test has no IngressClass/nginx' });
  await test.cluster.apply(
    { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name: 'nginx' }, spec: { controller: 'example.org/test' } },
    { fieldManager: 'test' },
  );
  await checkWays(test.cluster, exposed(INGRESS));
});

it('knows by its name the Secret that is not there', async () => {
  const names = async () => (await secretNames(test.cluster, example.namespace))!;
  await expect(names().then((there) => checkSecrets(rendered(INGRESS), example.namespace, there))).rejects.toMatchObject({
    message: 'the Secret "certificate" is not in the namespace "openstack", and Ingress/keystone-api needs it',
  });
  await test.cluster.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'certificate', namespace: example.namespace } }, { fieldManager: 'test' });
  checkSecrets(rendered(INGRESS), example.namespace, await names());
});

it('knows which claims would wait for a storage class for ever', async () => {
  const { cluster } = test;
  const check = (storage: Site['storage']): Promise<void> => checkStorage(cluster, { ...example, storage }, laidOut({ ...example, storage }));
  /** The class that the server itself gives a claim that names none. */
  const given = async (): Promise<unknown> => {
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'unclassed', namespace: example.namespace }, spec };
    const outcome = await cluster.apply(claim, { fieldManager: 'test', dryRun: true });
    return outcome.outcome === 'applied' ? (outcome.object['spec'] as { readonly storageClassName?: string }).storageClassName : outcome;
  };
  await check(example.storage);
  await expect(check({ default: 'standrad' })).rejects.toMatchObject({ message: 'test has no StorageClass/standrad', hint: 'did you mean "standard"?' });
  expect(await given()).toBeUndefined();
  await expect(check({})).rejects.toMatchObject({
    message: 'test has no default StorageClass, and the site names none for claims of mariadb, rabbitmq',
    hint: 'name one: storage.default; it has fast, standard',
  });
  const usual = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', name: 'usual' };
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
  await cluster.create(
    { apiVersion: usual.apiVersion, kind: usual.kind, metadata: { name: usual.name, annotations }, provisioner: 'example.org/test' },
    { fieldManager: 'test' },
  );
  // The server's admission learns of classes by a watch of its own.
  await vi.waitFor(async () => expect(await given()).toBe('usual'), { timeout: 5000 });
  await check({});
  await cluster.delete(usual);
});

it('moves to a Gateway: it is made, its routes are taken up, and the Ingress goes', async () => {
  await installGatewayKinds(test.cluster);
  void playGateways(test, ending.signal);
  const moved = await apply(rendered(GATEWAY));
  expect(resultLines(moved)).toEqual(['example: revision 2 is good, 13 of 13 steps done']);
  expect(moved.writes).toEqual(
    expect.arrayContaining(['Gateway/example', 'HTTPRoute/keystone-api', 'HTTPRoute/keystone-api-redirect', 'delete Ingress/keystone-api']),
  );
  expect((await apply(rendered(GATEWAY))).writes).toEqual([]);
  expect(await Promise.all(['gateway', 'keystone/expose/api'].map(status))).toEqual(['done', 'done']);
});

it('goes with the site, and the certificate that others keep stays', async () => {
  const { failures } = await deleteSite(test.cluster, example, {
    by: 'test@here',
    run: 'delete',
    clock: machineClock,
    emit: () => undefined,
    claims: true,
    secrets: true,
  });
  expect(failures).toEqual([]);
  const left = await Promise.all(
    ['Gateway', 'HTTPRoute'].map(
      async (kind) => (await test.cluster.list({ apiVersion: 'gateway.networking.k8s.io/v1', kind }, { namespace: example.namespace })).items,
    ),
  );
  expect(left.flat()).toEqual([]);
  expect([...(await secretNames(test.cluster, example.namespace))!]).toEqual(['certificate']);
});
