import pLimit from 'p-limit';

/**
 * The results of `work` for all items, with at most `atOnce` calls at a time. After a failed call
 * no other call starts: otherwise a run whose registry fails would go on for many minutes after its
 * error message.
 */
export function mapLimited<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const limit = pLimit(atOnce);
  return limit.map(items, async (item) => {
    try {
      return await work(item);
    } catch (thrown) {
      limit.clearQueue();
      throw thrown;
    }
  });
}
