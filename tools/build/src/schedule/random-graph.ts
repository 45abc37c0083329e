import type { Task } from './task.ts';

/** Uniform pseudo-random numbers from 0 to 1 (mulberry32), deterministic for a seed. */
export function uniformRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export interface RandomGraphShape {
  /** Range of the number of images per slot. */
  readonly perSlot: readonly [number, number];
  readonly slots: readonly [number, number];
}

/** Slots and tasks of a random image graph. */
export interface RandomGraph {
  readonly slots: number;
  readonly tasks: readonly Task[];
}

/**
 * A random graph similar to an OpenStack image set. One base image; a builder based on it; a
 * libraries image based on both. 10 to 30 % of the images (infrastructure) are based on the base.
 * The others are projects based on libraries and builder; half of the projects have one to six
 * service images as children. Durations are log-normal with medians of 15, 30, 40, 30, 45 and 12 s
 * in this order, with sigma 0.3 for the first three and 0.6 for the rest. Deterministic for a seed.
 */
export function randomImageGraph(seed: number, shape: RandomGraphShape): RandomGraph {
  const random = uniformRandom(seed);
  const between = ([from, to]: readonly [number, number]): number =>
    from + Math.floor(random() * (to - from + 1));
  const duration = (median: number, sigma: number): number =>
    median *
    Math.exp(sigma * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()));
  const tasks: Task[] = [];
  const add = (parents: readonly string[], seconds: number): string => {
    const id = `image-${tasks.length}`;
    tasks.push({ id, parents, seconds });
    return id;
  };
  const slots = between(shape.slots);
  const size = slots * between(shape.perSlot);
  const base = add([], duration(15, 0.3));
  const builder = add([base], duration(30, 0.3));
  const libraries = add([base, builder], duration(40, 0.3));
  const infrastructure = Math.round(size * (0.1 + 0.2 * random()));
  for (let count = 0; count < infrastructure; count += 1) add([base], duration(30, 0.6));
  while (tasks.length < size) {
    const project = add([libraries, builder], duration(45, 0.6));
    const services = random() < 0.5 ? between([1, 6]) : 0;
    for (let count = 0; count < services && tasks.length < size; count += 1)
      add([project], duration(12, 0.6));
  }
  return { slots, tasks };
}
