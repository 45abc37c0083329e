import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import type { RenderedSite } from '#site';
import { appText, renderChecked, siteInputs } from '#site/testing';
import { tinyWorld } from '../testing/tiny-world.ts';
import { applySite } from './apply-site.ts';
import { deleteSite } from './delete-site.ts';

const inputs = siteInputs({ parseAppSpec, parseSite });

function siteOf(name: string, app: string, more = ''): RenderedSite {
  const input = inputs(`{ ${app}: {} }`, { [app]: appText(app, '', more) });
  return renderChecked({ ...input, site: { ...input.site, name } });
}
const keys = ({ foundation, steps }: RenderedSite): string[] =>
  [...foundation, ...steps.flatMap(({ objects }) => objects)].map(
    ({ kind, metadata }: KubernetesObject) => `${kind}/${metadata.name}`,
  );

it('keeps two sites in one namespace independent', async () => {
  const world = tinyWorld();
  const [open, strict] = [
    siteOf('one', 'web', 'security: { root: it must }'),
    siteOf('two', 'other'),
  ];
  expect(keys(open).filter((key) => keys(strict).includes(key))).toEqual(['Namespace/cloud']);
  const of = (name: string, site: RenderedSite) =>
    applySite(world.cluster, { name, namespace: 'cloud' }, site, {
      by: 'tester@host',
      run: name,
      clock: world.clock,
      emit: () => undefined,
    });
  expect([(await of('one', open)).state, (await of('two', strict)).state]).toEqual([
    'good',
    'good',
  ]);
  expect([(await of('one', open)).state, (await of('two', strict)).state]).toEqual([
    'unchanged',
    'unchanged',
  ]);
  const level = async () =>
    (await world.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name: 'cloud' }))?.metadata
      .labels?.['pod-security.kubernetes.io/enforce'];
  expect(await level()).toBe('baseline');
  const guarded = [...open.foundation, ...strict.foundation]
    .filter(({ metadata }) => metadata.name.endsWith('deny-ingress'))
    .map((policy) => policy['spec']);
  expect(guarded).toMatchObject(
    ['web', 'other'].map((instance) => ({
      podSelector: {
        matchExpressions: [{ key: 'app.kubernetes.io/instance', values: [instance] }],
      },
    })),
  );
  await deleteSite(
    world.cluster,
    { name: 'one', namespace: 'cloud' },
    {
      by: 'tester@host',
      run: 'x',
      clock: world.clock,
      emit: () => undefined,
      claims: true,
      secrets: true,
    },
  );
  expect(
    (await of('two', strict)).plan.objects.filter(
      ({ action, key }) => action !== 'unchanged' && key !== 'Namespace/cloud',
    ),
  ).toEqual([]);
});

it('refuses a second site with an instance of the same name before any write', async () => {
  const world = tinyWorld();
  const of = (name: string) =>
    applySite(world.cluster, { name, namespace: 'cloud' }, siteOf(name, 'web'), {
      by: 'tester@host',
      run: name,
      clock: world.clock,
      emit: () => undefined,
    });
  await of('one');
  const before = world.cluster.writes.length;
  await expect(of('two')).rejects.toThrow(
    /^5 objects of two in cloud belong to the site one: ServiceAccount\/web, .*[^)]$/,
  );
  expect(world.cluster.writes.length).toBe(before);
});
