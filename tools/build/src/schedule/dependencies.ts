import type { Task } from './task.ts';

/**
 * Tasks that can start as others finish. Each task is returned once: by `roots`, `finish` or
 * `block`.
 */
export interface Dependencies<Id extends string> {
  /** Tasks without parents, in their original order. */
  roots(): readonly Id[];
  /** Marks a task as done; returns the tasks that can start now. */
  finish(id: Id): readonly Id[];
  /** Marks a task as failed; returns its descendants not blocked before, parents first. */
  block(id: Id): readonly Id[];
}

/** Tracks the dependencies of tasks; results keep the order of `tasks`. */
export function followDependencies<Id extends string>(
  tasks: readonly Task<Id>[],
): Dependencies<Id> {
  const children = new Map<Id, Id[]>(tasks.map(({ id }) => [id, []]));
  const waiting = new Map<Id, number>();
  const blocked = new Set<Id>();
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
    block: (id) => {
      const reached = new Set<Id>([id]);
      const found: Id[] = [];
      for (const task of tasks) {
        if (reached.has(task.id) || !task.parents.some((parent) => reached.has(parent))) continue;
        reached.add(task.id);
        if (!blocked.has(task.id)) found.push(task.id);
        blocked.add(task.id);
      }
      return found;
    },
  };
}
