import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { podsOf } from '../index.ts';
import type { SiteInput } from '../model/types.ts';
import { expectGolden, yamlOf } from '../testing/golden.ts';
import { checkedObjects, renderChecked } from '../testing/render-checked.ts';
import { testImageSet } from '../testing/site-input.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

const IMAGES = ['openstack-base', 'memcached', 'mariadb', 'rabbitmq', 'keystone'];

const EXAMPLE: SiteInput = {
  site: readSite(ROOT, 'example'),
  appSpecs: readAppSpecs(ROOT),
  imageSet: testImageSet(IMAGES),
};

describe('the example site', () => {
  it('renders to the golden objects', () => {
    expectGolden('example.yaml', yamlOf(checkedObjects(EXAMPLE)));
  });

  it('waits in this order', () => {
    const lines = renderChecked(EXAMPLE).steps.map(
      ({ wave, id, waitsFor }) =>
        `${wave} ${id}${waitsFor.length === 0 ? '' : ` after ${waitsFor.join(', ')}`}`,
    );
    expect(lines).toEqual([
      '0 secrets',
      '1 mariadb/workload/mariadb after secrets',
      '1 memcached/workload/memcached after secrets',
      '1 rabbitmq/workload/rabbitmq after secrets',
      '2 keystone/setup/bus after rabbitmq/workload/rabbitmq',
      '2 keystone/setup/database after mariadb/workload/mariadb',
      '3 keystone/job/db-sync-expand after keystone/setup/bus, keystone/setup/database, memcached/workload/memcached',
      '4 keystone/job/db-sync-migrate after keystone/job/db-sync-expand',
      '5 keystone/workload/api after keystone/job/db-sync-migrate',
      '6 keystone/job/bootstrap after keystone/workload/api',
      '6 keystone/job/credential-migrate after keystone/workload/api',
      '6 keystone/job/db-sync-contract after keystone/workload/api',
    ]);
  });

  it('gives the same bytes for any order of apps and images', () => {
    const { site, appSpecs, imageSet } = EXAMPLE;
    const turned = {
      site: { ...site, apps: Object.fromEntries(Object.entries(site.apps).reverse()) },
      appSpecs: new Map([...appSpecs].reverse()),
      imageSet: { ...imageSet, images: imageSet.images.toReversed() },
    };
    expect(yamlOf(checkedObjects(turned))).toBe(
      yamlOf(checkedObjects({ site, appSpecs, imageSet })),
    );
  });

  it("runs every pod under the restricted profile, by digest, in the site's namespace", () => {
    const objects = checkedObjects(EXAMPLE);
    expect(
      objects.filter(
        ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'openstack',
      ),
    ).toEqual([]);
    const pods = podsOf(objects);
    expect(pods).toHaveLength(12);
    for (const { pod } of pods) {
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: expect.any(Number),
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const { image, securityContext } of pod.containers) {
        expect(image).toMatch(/^registry\.example\.org\/ccp\/[a-z-]+@sha256:[0-9a-f]{64}$/);
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('contains no Secret, and lists each Secret that a pod refers to', () => {
    const { secrets } = renderChecked(EXAMPLE);
    const objects = checkedObjects(EXAMPLE);
    expect(objects.some(({ kind }) => kind === 'Secret')).toBe(false);
    const refers = [
      ...JSON.stringify(objects).matchAll(
        /"secretKeyRef":\{"name":"([^"]+)"|"secretName":"([^"]+)"/g,
      ),
    ].map((match) => match[1] ?? match[2]);
    expect([...new Set(refers)].sort()).toEqual(secrets.map(({ name }) => name));
  });

  it('changes only the pods that use a changed file', () => {
    const input = EXAMPLE;
    const keystone = {
      ...input.site.apps['keystone'],
      config: { 'keystone.conf': { DEFAULT: { debug: true } } },
    };
    const changed = checkedObjects({
      ...input,
      site: { ...input.site, apps: { ...input.site.apps, keystone } },
    });
    const before = new Set(checkedObjects(input).map((object) => JSON.stringify(object)));
    const names = changed
      .filter((object) => !before.has(JSON.stringify(object)))
      .map(({ kind, metadata }) => `${kind} ${metadata.name.replace(/-[0-9a-f]{10}$/, '')}`);
    expect(names).toEqual([
      'ConfigMap keystone-keystone-conf',
      'Job keystone-db-sync-expand',
      'Job keystone-db-sync-migrate',
      'Deployment keystone-api',
      'Job keystone-bootstrap',
      'Job keystone-credential-migrate',
      'Job keystone-db-sync-contract',
    ]);
  });
});
