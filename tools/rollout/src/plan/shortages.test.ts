import { expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import type { RenderedSite } from '#site';
import { openStatus, statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { checkNodes } from './check-nodes.ts';
import { makePlan } from './make-plan.ts';
import { deployPlanLines } from './plan-text.ts';

function addNodes(world: TinyWorld, labels: readonly Readonly<Record<string, string>>[]): void {
  labels.forEach((each, index) =>
    world.cluster.store.put(
      { apiVersion: 'v1', kind: 'Node', name: `n${index}` },
      { object: { metadata: { labels: each }, spec: {} }, owners: [] },
    ),
  );
}

/** The sentences of a validation, a plan, an apply and both kinds of status. */
async function sentences(
  world: TinyWorld,
  site: RenderedSite,
  settle: () => void = () => undefined,
): Promise<Readonly<Record<string, readonly string[]>>> {
  const marked = (lines: readonly string[]): string[] =>
    lines.filter((line) => line.includes(' can run it')).map((line) => line.replace(/^ +! /, ''));
  const plan = marked(deployPlanLines(await makePlan(world.cluster, TINY, site)));
  expect((await world.apply(site)).state).toBe('good');
  const apply = world.events.flatMap((event) => (event.type === 'warning' ? [event.text] : []));
  settle();
  const status = await statusNow(world.cluster, TINY);
  const open = await openStatus(world.cluster, TINY, world.clock);
  const watched = await open.now();
  await open.close();
  const { items } = await world.cluster.list({ apiVersion: 'v1', kind: 'Node' });
  let validation = '';
  try {
    checkNodes({ ...site, steps: site.steps.filter(({ phase }) => phase === 'roll') }, items, TINY);
  } catch (thrown) {
    validation = (thrown as Error).message;
  }
  return {
    plan,
    apply,
    status: marked(statusLines(status)),
    watched: marked(statusLines(watched)),
    validation: [validation],
  };
}

const all = (sentence: string) => ({
  plan: [sentence],
  apply: [sentence],
  status: [sentence],
  watched: [sentence],
  validation: [sentence],
});

it('reports a DaemonSet that no node can run, with the same text in plan, apply and status', async () => {
  const world = tinyWorld();
  addNodes(world, [{ role: 'other' }, {}]);
  const site = tinySite({ agent: 'one' });
  const agents = { ...site, steps: site.steps.filter(({ id }) => !/^(base|web)/.test(id)) };
  world.behave({ agent: 'no-node' });
  expect(await sentences(world, agents)).toEqual(
    all('DaemonSet/agent needs 1 node with role=any, but 0 of 2 nodes can run it'),
  );
});

it('reports members that share a node, with the same text in plan, apply and status', async () => {
  const world = tinyWorld();
  addNodes(world, [{ role: 'any' }, {}]);
  const site = tinySite({ bases: 3, spread: 'required' });
  const share = (): void => {
    for (const pod of world.cluster.store.all().filter(({ kind }) => kind === 'Pod'))
      world.cluster.edit(
        { ...pod, name: pod.metadata.name, namespace: TINY.namespace },
        (object) => void ((object['spec'] as { nodeName?: string }).nodeName = 'n0'),
      );
  };
  expect(await sentences(world, site, share)).toEqual(
    all('StatefulSet/base needs 3 nodes with role=any, but 1 of 2 nodes can run it'),
  );
});

it('reports nothing in a cluster without nodes, which may create nodes on demand', async () => {
  const world = tinyWorld();
  expect(await makePlan(world.cluster, TINY, tinySite())).not.toHaveProperty('shortages');
});

it('counts a cordoned node only for a DaemonSet', async () => {
  const world = tinyWorld();
  world.cluster.store.put(
    { apiVersion: 'v1', kind: 'Node', name: 'n0' },
    {
      object: { metadata: { labels: { role: 'any' } }, spec: { unschedulable: true } },
      owners: [],
    },
  );
  const { shortages } = await makePlan(world.cluster, TINY, tinySite({ agent: 'one', web: false }));
  expect(shortages).toEqual([
    'StatefulSet/base needs 1 node with role=any, but 0 of 1 nodes can run it',
  ]);
});
