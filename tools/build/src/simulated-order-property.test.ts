import { expect, it } from 'vitest';
import { digestOf, imageName } from '#core';
import type { PlannedImage } from '#plan';
import type { ImageStore, StoredImage } from '#ports';
import { fakeStore, type FakeRegistry } from '#ports/testing';
import { randomImageGraph, uniformRandom } from './schedule/random-graph.ts';
import { simulate } from './schedule/simulate.ts';
import type { Task } from './schedule/task.ts';
import { fakeRun, planOf } from './testing.ts';

const SHAPE = { perSlot: [3, 12], slots: [2, 5] } as const;

it('starts images in the order and at the times of the simulation, for 40 random graphs', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { tasks, slots } = randomImageGraph(seed, SHAPE);
    const { simulated, started, seconds, makespan } = await runTasks(tasks, slots, new Map());
    expect(started, `seed ${seed}`).toEqual(simulated);
    expect(seconds, `seed ${seed}`).toBeCloseTo(makespan, 2);
  }
}, 60_000);

it('starts images in the order of the simulation if some are aliased slowly, for 40 random graphs', async () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const { tasks, slots } = randomImageGraph(seed, SHAPE);
    const random = uniformRandom(seed);
    const turns = new Map(
      tasks.filter(() => random() < 0.4).map(({ id }) => [id, Math.floor(random() * 12)]),
    );
    const { simulated, started } = await runTasks(tasks, slots, turns);
    expect(started, `seed ${seed}`).toEqual(simulated);
  }
}, 60_000);

/**
 * Runs a graph on one fake engine. `aliased` are stored images, with the turns that an alias takes.
 */
async function runTasks(
  tasks: readonly Task[],
  slots: number,
  aliased: ReadonlyMap<string, number>,
) {
  const seconds = new Map(tasks.map((task) => [task.id, task.seconds]));
  const plan = planOf(Object.fromEntries(tasks.map(({ id, parents }) => [id, parents])));
  const registry: FakeRegistry = new Map();
  const images = plan.images.map((image): PlannedImage =>
    aliased.has(image.image) ? { ...image, action: 'reuse' } : image,
  );
  const { events, result } = await fakeRun(
    { ...plan, images },
    {
      slots: [slots],
      registry,
      store: storeWith(images, aliased, fakeStore(registry)),
      behave: (image) => ({ takes: seconds.get(image)! * 1000 }),
      ports: {
        durations: {
          measured: (image) => seconds.get(image),
          record: () => undefined,
          save: async () => undefined,
        },
      },
    },
  );
  const simulation = simulate(
    tasks.map((task) => (aliased.has(task.id) ? { ...task, seconds: 0 } : task)),
    [slots],
  );
  return {
    started: events.filter((event) => event.type === 'image-started').map(({ image }) => image),
    simulated: simulation.tasks
      .filter(({ engine }) => engine !== undefined)
      .map(({ id }) => imageName(id)),
    seconds: result.seconds,
    makespan: simulation.makespan,
  };
}

/** A store that has the images of `aliased`; an alias takes that number of promise turns. */
function storeWith(
  images: readonly PlannedImage[],
  aliased: ReadonlyMap<string, number>,
  store: ImageStore,
): ImageStore {
  const stored = new Map(
    images
      .filter(({ image }) => aliased.has(image))
      .map(({ image, fingerprint, record }): [string, StoredImage] => [
        image,
        {
          image,
          series: record.series,
          platform: record.platform,
          fingerprint,
          contentKey: '',
          digest: digestOf(image),
          size: 1,
          compressedSize: 1,
        },
      ]),
  );
  const byFingerprint = new Map([...stored.values()].map((image) => [image.fingerprint, image]));
  const waiting: StoredImage[] = [];
  return {
    ...store,
    byFingerprint: (fingerprint) => {
      const image = byFingerprint.get(fingerprint);
      if (image !== undefined) waiting.push(image);
      return undefined;
    },
    byContentKey: () => waiting.pop(),
    alias: async (_, image) => {
      for (let turn = aliased.get(image.image)!; turn > 0; turn -= 1) await Promise.resolve();
      return image;
    },
  };
}
