import { expect, it } from 'vitest';
import type { KubernetesObject } from '#ports';
import { objectsOf } from '../model/objects-of.ts';
import type { RenderedSite } from '../model/types.ts';
import { TINY, tinySite, type TinySite } from '../testing/tiny-site.ts';
import { addGates } from './add-gates.ts';

const IMAGE = 'registry.test/gate@sha256:0';
const gated = (wanted: TinySite = {}): RenderedSite => addGates(tinySite(wanted), TINY, IMAGE);

interface Pod {
  readonly serviceAccountName: string;
  readonly initContainers?: readonly { readonly command: readonly string[] }[];
}
const podOf = (object: KubernetesObject): Pod =>
  (object as unknown as { readonly spec: { readonly template: { readonly spec: Pod } } }).spec
    .template.spec;

/** The conditions of each pod's gate: step, then the arguments without the timeout. */
function waits(rendered: RenderedSite): Record<string, string> {
  return Object.fromEntries(
    rendered.steps.flatMap(({ id, objects }) =>
      objects
        .filter(({ kind }) => kind !== 'CronJob')
        .map((object) => [
          id,
          (podOf(object).initContainers ?? [])
            .flatMap(({ command }) => command.slice(1, -2))
            .join(' ')
            .replaceAll(/-[0-9a-f]{10}(?= |$)/g, '-#')
            .replaceAll(/@[0-9a-f]{10}/g, '@#'),
        ]),
    ),
  );
}

it('derives the conditions of each pod from the steps that its step waits for', () => {
  expect(waits(gated())).toEqual({
    secrets: '',
    'base/workload/base': '',
    'web/setup/database': '--service cloud/base',
    'web/job/expand': '--job-of cloud/web-database-setup',
    'web/job/migrate': '--job cloud/web-expand-#',
    'web/workload/web': '--job cloud/web-migrate-#',
    'web/job/contract': '--rollout Deployment/cloud/web@#',
    'web/job/register': '--service cloud/web',
  });
});

it('retires a password after the account has the new one and no pod has an old one', () => {
  const { 'web/retire/database': retire } = waits(gated({ generation: 2, keeps: true }));
  expect(retire).toBe(
    [
      '--job cloud/web-register-#',
      '--rollout Deployment/cloud/web@#',
      '--job cloud/web-migrate-#',
      '--job cloud/web-expand-#',
      '--job cloud/web-database-setup-#',
    ].join(' '),
  );
});

it('names the Jobs and contents that the objects have', () => {
  const rendered = gated();
  const byId = new Map(rendered.steps.map(({ id, objects }) => [id, objects[0]!]));
  const migrate = byId.get('web/job/migrate')!;
  expect(migrate.metadata.labels).toMatchObject({ 'ccp.openstack.org/job': 'web-migrate' });
  expect(podOf(byId.get('web/workload/web')!).initContainers![0]!.command).toContain(
    `cloud/${migrate.metadata.name}`,
  );
  const { annotations } = byId.get('web/workload/web')!.metadata;
  expect(podOf(byId.get('web/job/contract')!).initContainers![0]!.command).toContain(
    `Deployment/cloud/web@${annotations!['ccp.openstack.org/content']}`,
  );
});

it('gives gates an account of their own that reads only the kinds they need', () => {
  const access = objectsOf(gated()).filter(({ metadata }) => metadata.name === 'ccp-tiny-gate');
  expect(access.map(({ kind }) => kind)).toEqual(['ServiceAccount', 'Role', 'RoleBinding']);
  expect(access[1]!['rules']).toEqual([
    { apiGroups: [''], resources: ['pods'], verbs: ['list'] },
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'] },
    { apiGroups: ['batch'], resources: ['jobs'], verbs: ['get', 'list'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
  ]);
  expect(access[2]!['subjects']).toEqual([
    { kind: 'ServiceAccount', name: 'ccp-tiny-gate', namespace: 'cloud' },
  ]);
  const web = gated().steps.find(({ id }) => id === 'web/workload/web')!.objects[0]!;
  expect(podOf(web)).toMatchObject({
    serviceAccountName: 'ccp-tiny-gate',
    automountServiceAccountToken: false,
  });
});

it('lets pods with a gate connect to the API server', () => {
  const egress = (rendered: RenderedSite, instance: string): unknown =>
    objectsOf(rendered).find(({ metadata }) => metadata.name === `ccp-tiny-egress-${instance}`)![
      'spec'
    ];
  const rule = [443, 6443].map((port) => ({ port, protocol: 'TCP' }));
  expect(egress(tinySite(), 'web')).not.toMatchObject({
    egress: expect.arrayContaining([{ ports: rule }]) as object,
  });
  expect(egress(gated(), 'web')).toMatchObject({
    egress: expect.arrayContaining([{ ports: rule }]) as object,
  });
});

it('replaces only the pods of an app whose provider has a new release', () => {
  const names = (rendered: RenderedSite, instance: string): unknown =>
    rendered.steps
      .filter((step) => step.instance === instance && step.phase === 'roll')
      .map(({ objects }) => objects.map(podOf));
  const [before, after] = [gated({ release: 'one' }), gated({ release: 'two' })];
  expect(names(after, 'base')).toEqual(names(before, 'base'));
  expect(names(after, 'web')).not.toEqual(names(before, 'web'));
  // More members of the database change neither the pods of its consumers nor their jobs.
  expect(gated({ bases: 3 }).steps.filter(({ instance }) => instance === 'web')).toEqual(
    before.steps.filter(({ instance }) => instance === 'web'),
  );
});

it('gives Jobs the time that their gate waits', () => {
  const deadline = (rendered: RenderedSite, id: string): unknown =>
    rendered.steps.find((step) => step.id === id)!.objects[0]!['spec'];
  expect(deadline(gated(), 'web/job/expand')).toMatchObject({ activeDeadlineSeconds: 4500 });
  expect(deadline(gated(), 'secrets')).toMatchObject({ activeDeadlineSeconds: 600 });
});
