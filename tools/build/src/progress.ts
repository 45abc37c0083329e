import type { ImageName } from '#core';
import { lowerBound, type Task } from './schedule/task.ts';

/** What is under way: the image, its step, and when it started (milliseconds). */
export interface Running {
  readonly step: string;
  readonly since: number;
}

/**
 * Seconds left: what no schedule of the unfinished tasks can beat, which longest remaining path comes close to. A task under
 * way counts with what its estimate leaves, at least a tenth of it.
 */
export function secondsLeft(
  tasks: readonly Task<ImageName>[],
  finished: { has(image: ImageName): boolean },
  running: ReadonlyMap<ImageName, Running>,
  slots: number,
  now: number,
): number {
  const left = tasks
    .filter(({ id }) => !finished.has(id))
    .map((task) => {
      const started = running.get(task.id)?.since;
      if (started === undefined) return task;
      return { ...task, seconds: Math.max(task.seconds - (now - started) / 1000, task.seconds / 10) };
    });
  return lowerBound(left, Math.max(slots, 1)).seconds;
}
