import { describe, expect, it } from 'vitest';
import { followDependencies } from './dependencies.ts';
import { randomImageGraph } from './random-graph.ts';
import { readyQueue } from './ready-queue.ts';
import { simulate } from './simulate.ts';
import { slotsOf } from './slots.ts';
import { lowerBound, remainingPaths, type Task } from './task.ts';

const DIAMOND: readonly Task[] = [
  { id: 'top', parents: [], seconds: 1 },
  { id: 'left', parents: ['top', 'top'], seconds: 2 },
  { id: 'right', parents: ['top'], seconds: 5 },
  { id: 'bottom', parents: ['left', 'right'], seconds: 3 },
];

describe('paths', () => {
  it('adds the longest chain of descendants', () => {
    expect(Object.fromEntries(remainingPaths(DIAMOND))).toEqual({
      top: 9,
      left: 5,
      right: 8,
      bottom: 3,
    });
  });

  it.each([
    [1, 11],
    [2, 9],
    [100, 9],
  ])('with %i slots is bounded by %i s', (slots, seconds) => {
    expect(lowerBound(DIAMOND, slots)).toEqual({ criticalPath: 9, seconds });
  });
});

describe('followDependencies', () => {
  it('returns a task when its last parent is done, even if a parent has two roles', () => {
    const dependencies = followDependencies(DIAMOND);
    expect([
      dependencies.roots(),
      dependencies.finish('top'),
      dependencies.finish('left'),
      dependencies.finish('right'),
    ]).toEqual([['top'], ['left', 'right'], [], ['bottom']]);
  });
});

describe('readyQueue', () => {
  it('returns the highest priority first and keeps the order of equal priorities', () => {
    const queue = readyQueue<string>((id) => Number(id[0]));
    for (const id of ['1a', '3a', '2a', '3b', '1b']) queue.push(id);
    expect(Array.from({ length: 6 }, () => queue.take())).toEqual([
      '3a',
      '3b',
      '2a',
      '1a',
      '1b',
      undefined,
    ]);
  });
});

describe('slotsOf', () => {
  it('prefers the requested engine, then the one with the most free slots', () => {
    const slots = slotsOf([1, 2]);
    expect([slots.take(0), slots.take(0), slots.take(), slots.take()]).toEqual([
      0,
      1,
      1,
      undefined,
    ]);
    slots.release(0);
    expect([slots.take(1), slots.take(1)]).toEqual([0, undefined]);
  });

  it('applies the total limit', () => {
    const slots = slotsOf([2, 2], 3);
    expect([slots.take(), slots.take(), slots.take(), slots.take()]).toEqual([0, 1, 0, undefined]);
  });

  it('does not return a retired engine, even after a release', () => {
    const slots = slotsOf([1, 1]);
    slots.take(0);
    slots.retire(0);
    slots.release(0);
    expect([slots.engines, slots.take(0), slots.take(0)]).toEqual([1, 1, undefined]);
  });
});

describe('simulate', () => {
  it('runs the longest remaining path first', () => {
    const { makespan, tasks } = simulate(DIAMOND, [1]);
    expect({ makespan, order: tasks.map(({ id }) => id) }).toEqual({
      makespan: 11,
      order: ['top', 'right', 'left', 'bottom'],
    });
    expect(simulate(DIAMOND, [1], 'fifo').tasks.map(({ id }) => id)).toEqual([
      'top',
      'left',
      'right',
      'bottom',
    ]);
  });

  it('uses real durations that differ from the estimates', () => {
    expect(simulate(DIAMOND, [2], 'longest-path', ({ seconds }) => seconds * 2).makespan).toBe(18);
  });

  it('starts no task before its parents and exceeds no limit, for 200 random graphs', () => {
    for (let seed = 1; seed <= 200; seed += 1) {
      const { tasks, slots } = randomImageGraph(seed, { perSlot: [3, 20], slots: [2, 6] });
      const engines = [slots - 1, 1];
      const run = simulate(tasks, engines);
      const byId = new Map(run.tasks.map((task) => [task.id, task]));
      expect(byId.size).toBe(tasks.length);
      for (const { id, parents } of tasks) {
        for (const parent of parents)
          expect(byId.get(parent)!.end).toBeLessThanOrEqual(byId.get(id)!.start);
      }
      for (const { start } of run.tasks) {
        const under = run.tasks.filter((task) => task.start <= start && task.end > start);
        engines.forEach((limit, engine) =>
          expect(under.filter((task) => task.engine === engine).length).toBeLessThanOrEqual(limit),
        );
      }
      expect(run.makespan).toBeGreaterThanOrEqual(lowerBound(tasks, slots).seconds - 1e-6);
    }
  });

  it("stays within the documented distance of the lower bound, for 100 of the benchmark's graphs", () => {
    const ratios = Array.from({ length: 100 }, (_, seed) => {
      const { tasks, slots } = randomImageGraph(seed + 1, { perSlot: [20, 60], slots: [2, 8] });
      return simulate(tasks, [slots]).makespan / lowerBound(tasks, slots).seconds;
    }).sort((a, b) => a - b);
    expect(ratios[50]).toBeLessThanOrEqual(1.03);
    expect(ratios.at(-1)).toBeLessThanOrEqual(1.1);
  });
});
