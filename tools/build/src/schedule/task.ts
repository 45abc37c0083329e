/** A unit of work: what must be done before it, and how long it takes by what is known. */
export interface Task<Id extends string = string> {
  readonly id: Id;
  readonly parents: readonly Id[];
  /** Estimated seconds; 0 for what is done already. */
  readonly seconds: number;
}

/** Task -> seconds from its start to the end of the longest chain below it. Tasks come parents first. */
export function remainingPaths<Id extends string>(tasks: readonly Task<Id>[]): ReadonlyMap<Id, number> {
  const below = new Map<Id, number>();
  const paths = new Map<Id, number>();
  for (const { id, parents, seconds } of tasks.toReversed()) {
    const path = seconds + (below.get(id) ?? 0);
    paths.set(id, path);
    for (const parent of parents) below.set(parent, Math.max(below.get(parent) ?? 0, path));
  }
  return paths;
}

/** What no schedule can beat, seconds: the longest chain, and the work spread over all slots. */
export function lowerBound(tasks: readonly Task[], slots: number): { readonly criticalPath: number; readonly seconds: number } {
  let criticalPath = 0;
  for (const path of remainingPaths(tasks).values()) criticalPath = Math.max(criticalPath, path);
  const work = tasks.reduce((sum, { seconds }) => sum + seconds, 0);
  return { criticalPath, seconds: Math.max(criticalPath, work / slots) };
}
