/** A unit of work with its dependencies and its estimated duration. */
export interface Task<Id extends string = string> {
  readonly id: Id;
  readonly parents: readonly Id[];
  /** Estimated seconds; 0 if it is already done. */
  readonly seconds: number;
}

/**
 * Seconds by task: from its start to the end of its longest chain of descendants. Parents first.
 */
export function remainingPaths<Id extends string>(
  tasks: readonly Task<Id>[],
): ReadonlyMap<Id, number> {
  const below = new Map<Id, number>();
  const paths = new Map<Id, number>();
  for (const { id, parents, seconds } of tasks.toReversed()) {
    const path = seconds + (below.get(id) ?? 0);
    paths.set(id, path);
    for (const parent of parents) below.set(parent, Math.max(below.get(parent) ?? 0, path));
  }
  return paths;
}

/**
 * Lower bounds of all schedules in seconds: the critical path, and the work divided by the slots.
 */
export function lowerBound(
  tasks: readonly Task[],
  slots: number,
): { readonly criticalPath: number; readonly seconds: number } {
  let criticalPath = 0;
  for (const path of remainingPaths(tasks).values()) criticalPath = Math.max(criticalPath, path);
  const work = tasks.reduce((sum, { seconds }) => sum + seconds, 0);
  return { criticalPath, seconds: Math.max(criticalPath, work / slots) };
}
