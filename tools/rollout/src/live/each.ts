/**
 * Runs `work` for every item, at most `limit` at a time; results are in the items' order. The first
 * error stops it.
 */
export async function each<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  results.length = items.length;
  let next = 0;
  let stopped = false;
  const worker = async (): Promise<void> => {
    while (next < items.length && !stopped) {
      const index = next++;
      try {
        results[index] = await work(items[index]!);
      } catch (error) {
        stopped = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
