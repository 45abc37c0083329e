/** `starts` and every item reachable from them by `next`, without duplicates. */
export function closure<T>(starts: Iterable<T>, next: (item: T) => Iterable<T>): Set<T> {
  const reached = new Set(starts);
  for (const item of reached) for (const further of next(item)) reached.add(further);
  return reached;
}
