import { describe, expect, it } from 'vitest';
import type { Cluster } from '#ports';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { tinyWorld } from '../testing/tiny-world.ts';

describe('pods, most objects of a namespace', () => {
  const world = tinyWorld();
  const listed = async (site = tinySite(), hidden = ''): Promise<readonly string[]> => {
    const kinds: string[] = [];
    const list: Cluster['list'] = async (kind, selection) => {
      kinds.push(kind.kind);
      const found = await world.cluster.list(kind, selection);
      return { ...found, items: found.items.filter(({ metadata }) => metadata.name !== hidden) };
    };
    await makePlan({ ...world.cluster, list }, TINY, site);
    return kinds.filter((kind) => kind === 'Pod');
  };

  it('reads pods only if the run depends on them', async () => {
    const { secrets } = tinySite();
    await world.apply(tinySite());
    expect(await listed()).toEqual([]);
    expect(await listed(tinySite({ webs: 3 }))).toEqual([]);
    // A ConfigMap that is rendered no more, and a Secret that is gone.
    expect(await listed(tinySite({ colour: 'blue' }))).toEqual(['Pod']);
    expect(await listed(tinySite(), secrets[0]!.name)).toEqual(['Pod']);
  });
});
