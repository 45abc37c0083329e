import type { LiveObject, WatchEvent } from '../../cluster.ts';
import type { ObjectStore } from './object-store.ts';

/** A watch of what `isWanted` selects in a store; an object that leaves the selection is told as deleted. */
export async function* watchStore(store: ObjectStore, isWanted: (object: LiveObject) => boolean, signal?: AbortSignal): AsyncGenerator<WatchEvent, void> {
  const queue: WatchEvent[] = [{ type: 'listed', items: structuredClone(store.all().filter(isWanted)) }];
  const known = new Set(store.all().filter(isWanted).map(({ metadata }) => metadata.uid));
  let wake = () => {};
  const unlisten = store.listen(({ type, object }) => {
    const wanted = type !== 'DELETED' && isWanted(object);
    if (!wanted && !known.delete(object.metadata.uid)) return;
    if (wanted) known.add(object.metadata.uid);
    queue.push({ type: wanted ? 'changed' : 'deleted', object: structuredClone(object) });
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
