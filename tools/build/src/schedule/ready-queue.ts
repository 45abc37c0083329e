/** Tasks that can start, by descending priority, then first in, first out. */
export interface ReadyQueue<Id extends string> {
  readonly size: number;
  push(id: Id): void;
  take(): Id | undefined;
}

/** A priority queue; equal priorities are first in, first out. */
export function readyQueue<Id extends string>(priorityOf: (id: Id) => number): ReadyQueue<Id> {
  /** In reverse order of `take`: ascending priority, newest first. */
  const entries: { readonly id: Id; readonly priority: number }[] = [];
  return {
    get size() {
      return entries.length;
    },
    push: (id) => {
      const priority = priorityOf(id);
      let low = 0;
      let high = entries.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (entries[middle]!.priority < priority) low = middle + 1;
        else high = middle;
      }
      entries.splice(low, 0, { id, priority });
    },
    take: () => entries.pop()?.id,
  };
}
