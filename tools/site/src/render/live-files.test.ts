import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { checkedObjects } from '../testing/render-checked.ts';
import { testImageSet } from '../testing/site-input.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const appSpecs = readAppSpecs(ROOT);
const site = readSite(ROOT, 'local');

/** Pod template of an app's StatefulSet, and the content of its live ConfigMap. */
function rendered(app: string, members: number, more: object = {}): readonly [unknown, unknown] {
  const objects = checkedObjects({
    site: { ...site, ...more, apps: { ...site.apps, [app]: { replicas: { [app]: members } } } },
    appSpecs,
    imageSet: testImageSet(['openstack-base', ...appSpecs.keys()]),
  });
  const { template } = objects.find(
    ({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === app,
  )!['spec'] as { readonly template: unknown };
  const live = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${app}-live-`),
  )!;
  expect(live).not.toHaveProperty('immutable');
  return [template, live['data']];
}

it.each(['mariadb', 'rabbitmq'])(
  'keeps the pods of %s when the number of members changes',
  (app) => {
    const [[one, before], [three, after]] = [rendered(app, 1), rendered(app, 3)];
    expect(three).toEqual(one);
    expect(JSON.stringify(before)).not.toContain(`${app}-1.`);
    expect(JSON.stringify(after)).toContain(`${app}-2.`);
  },
);

it.each(['mariadb', 'rabbitmq'])(
  'keeps the pods of %s when the certificates of authorities change',
  (app) => {
    expect(rendered(app, 3, { tls: { ca: 'a certificate' } })).toEqual(rendered(app, 3));
  },
);
