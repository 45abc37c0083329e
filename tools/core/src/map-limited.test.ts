import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { mapLimited } from './map-limited.ts';

describe('mapLimited', () => {
  it('keeps the order, with at most two calls at a time', async () => {
    let [running, most] = [0, 0];
    const found = await mapLimited([3, 1, 2], 2, async (ms) => {
      most = Math.max(most, (running += 1));
      await setTimeout(ms);
      running -= 1;
      return ms * 10;
    });
    expect([found, most]).toEqual([[30, 10, 20], 2]);
  });

  it('starts no call after a failed one', async () => {
    const started: number[] = [];
    const work = mapLimited([0, 1, 2, 3, 4, 5], 2, async (item) => {
      started.push(item);
      await setTimeout(item === 0 ? 20 : 1);
      if (item === 2) throw new Error('it failed');
    });
    await expect(work).rejects.toThrow('it failed');
    await setTimeout(40);
    expect(started).toEqual([0, 1, 2]);
  });
});
