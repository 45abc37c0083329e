import type { LiveObject, WatchEvent } from '../../cluster.ts';
import { copyOf } from './field-path.ts';
import { changeWithin, type ObjectStore } from './object-store.ts';

/**
 * A watch of the objects that `isWanted` selects. An object that leaves the selection is reported
 * as deleted.
 */
export async function* watchStore(
  store: ObjectStore,
  isWanted: (object: LiveObject) => boolean,
  signal?: AbortSignal,
): AsyncGenerator<WatchEvent, void> {
  const queue: WatchEvent[] = [{ type: 'listed', items: copyOf(store.all().filter(isWanted)) }];
  let wake = () => {};
  const unlisten = store.listen((change) => {
    const type = changeWithin(change, isWanted);
    if (type === undefined) return;
    queue.push({ type: type === 'DELETED' ? 'deleted' : 'changed', object: copyOf(change.object) });
    wake();
  });
  const stop = () => wake();
  signal?.addEventListener('abort', stop);
  try {
    while (signal?.aborted !== true) {
      const next = queue.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    unlisten();
    signal?.removeEventListener('abort', stop);
  }
}
