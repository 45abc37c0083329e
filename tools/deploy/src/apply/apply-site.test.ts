import { describe, expect, it } from 'vitest';
import { tinySite } from '../testing/tiny-site.ts';
import { tinyWorld } from '../testing/tiny-world.ts';

const states = (result: Awaited<ReturnType<ReturnType<typeof tinyWorld>['apply']>>): string[] => [...result.steps].map(([id, { state }]) => `${id} ${state}`);

describe('an install', () => {
  it('brings about every step and writes nothing the second time', async () => {
    const world = tinyWorld();
    const result = await world.apply(tinySite());
    expect(result.failures).toEqual([]);
    expect(states(result)).toEqual([]);
    expect(result.state).toBe('good');
    const writes = world.cluster.writes.length;
    expect((await world.apply(tinySite())).state).toBe('unchanged');
    expect(world.cluster.writes.slice(writes)).toEqual([]);
  });
});
