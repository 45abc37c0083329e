import { expect, it } from 'vitest';
import { CcpError } from '#core';
import { fakeRun, planOf } from './testing.ts';
import { uniformRandom } from './schedule/random-graph.ts';
import { isStored } from './outcome.ts';

const broken = new CcpError({
  code: 'build-failed',
  message: 'step "[1/1] RUN false" failed with exit code 1',
});

it('starts no image before its parents and gives each an outcome, for 60 random graphs with faults', async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const random = uniformRandom(seed);
    const images: Record<string, readonly string[]> = {};
    const size = 2 + Math.floor(random() * 25);
    for (let index = 0; index < size; index += 1) {
      const parents = Array.from(
        { length: Math.floor(random() * 3) },
        () => `image-${Math.floor(random() * index)}`,
      );
      images[`image-${index}`] = index === 0 ? [] : [...new Set(parents)];
    }
    const plan = planOf(images);
    const faulty = new Set(Object.keys(images).filter(() => random() < 0.1));
    const stopAt = random() < 0.3 ? Math.floor(random() * size) : Infinity;
    let finished = 0;
    const { result, events, store, engines } = await fakeRun(plan, {
      slots: [1, 2],
      jobs: 2,
      behave: (image) => ({
        takes: 1000 + random() * 60_000,
        ...(faulty.has(image) ? { fails: broken } : {}),
      }),
      onEvent: (event, { abort }) => {
        if (event.type === 'image-finished' && (finished += 1) > stopAt) abort();
      },
    });

    expect(result.outcomes.map(({ image }) => image)).toEqual(Object.keys(images));
    expect(events.filter(({ type }) => type === 'image-finished')).toHaveLength(size);
    expect(engines[0]!.peak + engines[1]!.peak).toBeLessThanOrEqual(3);
    const named = new Set(store.list().map(({ image }) => image));
    const settled = new Map(result.outcomes.map((outcome) => [outcome.image as string, outcome]));
    for (const outcome of result.outcomes) {
      const parents = images[outcome.image]!.map((parent) => settled.get(parent)!);
      expect(named.has(outcome.image)).toBe(isStored(outcome));
      if (isStored(outcome) || outcome.type === 'failed')
        expect(parents.every(isStored)).toBe(true);
      if (outcome.type === 'failed') expect(faulty.has(outcome.image)).toBe(true);
      if (outcome.type === 'blocked')
        expect(outcome.by.every((image) => faulty.has(image))).toBe(true);
      if (outcome.type === 'cancelled') expect(stopAt).toBeLessThan(Infinity);
    }
    let shown: readonly string[] = [];
    for (const event of events) {
      if (event.type === 'progress') shown = event.running.map(({ image }) => image);
      if (event.type === 'image-finished') expect(shown).not.toContain(event.outcome.image);
    }
    const order = events.flatMap((event) =>
      event.type === 'image-started'
        ? [`start ${event.image}`]
        : event.type === 'image-finished'
          ? [`end ${event.outcome.image}`]
          : [],
    );
    for (const [image, parents] of Object.entries(images)) {
      const start = order.indexOf(`start ${image}`);
      if (start >= 0)
        for (const parent of parents) expect(order.indexOf(`end ${parent}`)).toBeLessThan(start);
    }
  }
});
