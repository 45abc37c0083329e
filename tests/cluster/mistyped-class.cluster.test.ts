import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Site } from '#definitions';
import { readAppSpecs } from '#definitions/deploy';
import {
  applySite,
  deployPlanLines,
  makePlan,
  resultLines,
  statusLines,
  statusNow,
} from '#rollout';
import type { RenderedSite } from '#site';
import { renderChecked } from '#site/testing';
import { systemClock } from '#ports';
import { REPOSITORY } from '../helpers/ccp.ts';
import { example, startExampleCluster } from '../helpers/cluster/example-site.ts';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startExampleCluster();
});
afterAll(async () => {
  await test?.stop();
});

/** Only RabbitMQ, with claims of this class. */
function rendered(storage: string): RenderedSite {
  const site: Site = {
    ...example,
    storage: { ...example.storage, default: storage },
    apps: { rabbitmq: example.apps['rabbitmq']! },
  };
  const images = EXAMPLE_IMAGES.map((name) => ({ name, digest: digestOf(name) }));
  return renderChecked({
    site,
    appSpecs: new Map(readAppSpecs(REPOSITORY)),
    imageSet: { series: site.series, images } as never,
  });
}

let runs = 0;
const apply = (site: RenderedSite) =>
  applySite(test.cluster, example, site, {
    by: 'test@here',
    run: `run ${++runs}`,
    clock: systemClock,
    emit: () => undefined,
  });

it('reports a mistyped storage class with its claim, and corrects it with the next apply', async () => {
  const start = Date.now();
  const lines = resultLines(await apply(rendered('nosuchclass')));
  const why =
    /pod rabbitmq-\d: no node can run it: PersistentVolumeClaim data-rabbitmq-\d waits for storage class nosuchclass, which does not exist$/;
  expect(lines[0]).toMatch(why);
  expect(Date.now() - start).toBeLessThan(60_000);
  expect(
    statusLines(await statusNow(test.cluster, example)).find((line) =>
      line.includes('rabbitmq/workload/rabbitmq'),
    ),
  ).toMatch(why);

  const site = rendered(example.storage['default']!);
  const plan = deployPlanLines(await makePlan(test.cluster, example, site));
  expect(plan.filter((line) => line.startsWith('      spec'))).toEqual([
    '      spec.volumeClaimTemplates[data].spec.storageClassName: nosuchclass -> standard',
  ]);
  expect(plan.filter((line) => line.includes('is created again')).length).toBeGreaterThan(0);
  expect(plan.filter((line) => line.includes('replaces its'))).toEqual([]);
  expect(resultLines(await apply(site)).at(-1)).toMatch(/^example: revision 2 is good/);
  const { items } = await test.cluster.list(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    { namespace: example.namespace },
  );
  expect(
    items.map(({ spec, status }) => [
      (spec as { storageClassName: string }).storageClassName,
      (status as { phase: string }).phase,
    ]),
  ).toEqual(items.map(() => ['standard', 'Bound']));
  expect(items.length).toBeGreaterThan(0);
});
