import type { Task } from './task.ts';

/**
 * Tasks whose parents are all done. Each task is returned once: by `roots` or `finish`.
 */
export interface Dependencies<Id extends string> {
  /** Tasks without parents, in their original order. */
  roots(): readonly Id[];
  /** Marks a task as done, however it ended; returns the tasks whose last parent it was. */
  finish(id: Id): readonly Id[];
}

/** Tracks the dependencies of tasks; results keep the order of `tasks`. */
export function followDependencies<Id extends string>(
  tasks: readonly Task<Id>[],
): Dependencies<Id> {
  const children = new Map<Id, Id[]>(tasks.map(({ id }) => [id, []]));
  const waiting = new Map<Id, number>();
  for (const { id, parents } of tasks) {
    const distinct = new Set(parents);
    waiting.set(id, distinct.size);
    for (const parent of distinct) children.get(parent)!.push(id);
  }
  return {
    roots: () => tasks.filter(({ id }) => waiting.get(id) === 0).map(({ id }) => id),
    finish: (id) =>
      children.get(id)!.filter((child) => {
        const left = waiting.get(child)! - 1;
        waiting.set(child, left);
        return left === 0;
      }),
  };
}
