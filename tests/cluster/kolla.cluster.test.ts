import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs } from '#definitions/deploy';
import { applySite, resultLines } from '#rollout';
import { renderChecked } from '#site/testing';
import { systemClock } from '#ports';
import { REPOSITORY } from '../helpers/ccp.ts';
import { example, startExampleCluster } from '../helpers/cluster/example-site.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startExampleCluster();
});
afterAll(async () => {
  await test?.stop();
});

it('deploys a site with Kolla images under the profile baseline, and applies it again without writes', async () => {
  const of = (name: string) => ({
    reference: `quay.example.org/openstack.kolla/${name}@${digestOf(name)}`,
    runtime: 'kolla' as const,
  });
  const external = {
    keystone: of('keystone'),
    mariadb: { ...of('mariadb-server'), user: 'mysql' },
    rabbitmq: of('rabbitmq'),
    memcached: of('memcached'),
    'openstack-base': { ...of('openstack-base'), runtime: 'plain' as const },
  };
  const site: Site = { ...example, external };
  const apply = async (run: string) => {
    const rendered = renderChecked({
      site,
      appSpecs: readAppSpecs(REPOSITORY),
      imageSet: { series: site.series, images: [] } as never,
    });
    return await applySite(test.cluster, site, rendered, {
      by: 'test@here',
      run,
      clock: systemClock,
      emit: () => undefined,
    });
  };
  expect(resultLines(await apply('one'))).toEqual([
    'example: revision 1 is good, 12 of 12 steps done',
  ]);
  expect((await apply('two')).state).toBe('unchanged');
});
