import type { ImageName } from '#core';
import { lowerBound, type Task } from './schedule/task.ts';

/** The current step of a running image, and when the image started (milliseconds). */
export interface RunningImage {
  readonly step: string;
  readonly since: number;
}

/**
 * Estimated seconds left: the lower bound of all schedules of the unfinished tasks, which the
 * scheduler nearly reaches. A running task has the rest of its estimate, but at least a tenth of
 * it.
 */
export function secondsLeft(
  tasks: readonly Task<ImageName>[],
  finished: { has(image: ImageName): boolean },
  running: ReadonlyMap<ImageName, RunningImage>,
  slots: number,
  now: number,
): number {
  const left = tasks
    .filter(({ id }) => !finished.has(id))
    .map((task) => {
      const started = running.get(task.id)?.since;
      if (started === undefined) return task;
      return {
        ...task,
        seconds: Math.max(task.seconds - (now - started) / 1000, task.seconds / 10),
      };
    });
  return lowerBound(left, Math.max(slots, 1)).seconds;
}
