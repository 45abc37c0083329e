import type { Clock, Cluster, KindRef, LiveObject } from '#ports';
import type { Home, ObjectKey } from '#site';
import { unlessHidden } from '../live/unless-hidden.ts';
import { ownedObjects } from './owned-objects.ts';
import type { Pod } from './pod.ts';
import { podsOfWorkload } from './pods-of-workload.ts';

const WATCHED: readonly KindRef[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'batch/v1', kind: 'Job' },
  { apiVersion: 'v1', kind: 'Pod' },
];

/**
 * The live workloads, pods and other awaited objects of a site's namespaces: one watch for each
 * kind and namespace, shared by all readers.
 */
export interface SiteWatch {
  object(key: ObjectKey): LiveObject | undefined;
  /** Pods of a workload's current revision, or with `all` also of earlier ones. */
  podsOf(workload: LiveObject, which?: 'current' | 'all'): readonly Pod[];
  /**
   * Resolves when an object has changed, after the given milliseconds, or as soon as `signal`
   * aborts.
   */
  change(milliseconds: number, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the watches of workloads, pods and the given kinds; resolves when each has listed its
 * objects. `unread` has the optional kinds that this account may not read.
 */
export async function watchSite(
  cluster: Cluster,
  home: Home,
  namespaces: readonly string[],
  clock: Clock,
  kinds: readonly KindRef[] = [],
  optionalKinds: readonly KindRef[] = [],
): Promise<SiteWatch & { readonly unread: ReadonlySet<string> }> {
  const objects = ownedObjects(home);
  const stop = new AbortController();
  let changed = Promise.withResolvers<void>();
  const notify = (): void => {
    const { resolve } = changed;
    changed = Promise.withResolvers<void>();
    resolve();
  };
  const follow = (
    kind: KindRef,
    namespace: string,
  ): { readonly listed: Promise<void>; readonly over: Promise<void> } => {
    const listed = Promise.withResolvers<void>();
    const over = (async () => {
      for await (const event of cluster.watch(kind, { namespace, signal: stop.signal })) {
        if (event.type === 'listed') {
          objects.replace(kind.kind, namespace, event.items);
          listed.resolve();
        } else if (event.type === 'changed') objects.put(event.object);
        else if (event.type === 'deleted') objects.remove(event.object);
        notify();
      }
    })();
    over.catch((error: unknown) => listed.reject(error));
    return { listed: listed.promise, over: over.catch(() => undefined) };
  };
  const everywhere = <T>(all: readonly KindRef[], one: (kind: KindRef, at: string) => T): T[] =>
    all.flatMap((kind) => namespaces.map((at) => one(kind, at)));
  const needed = everywhere([...WATCHED, ...kinds], follow);
  const optional = everywhere(optionalKinds, (kind, at) => ({ ...follow(kind, at), kind }));
  const watches = [...needed, ...optional];
  const unread = new Set<string>();
  const close = async (): Promise<void> => {
    stop.abort();
    await Promise.all(watches.map(({ over }) => over));
  };
  try {
    await Promise.all([
      ...needed.map(({ listed }) => listed),
      ...optional.map(async ({ kind, listed }) => {
        if ((await unlessHidden(() => listed)) === 'hidden') unread.add(kind.kind);
      }),
    ]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    unread,
    object: (key) => objects.get(key),
    podsOf: (workload, which = 'current') => podsOfWorkload(objects, workload, which),
    change: async (milliseconds, signal) => {
      if (signal.aborted) return;
      const early = new AbortController();
      const end = (): void => early.abort();
      signal.addEventListener('abort', end);
      await Promise.race([changed.promise, clock.sleep(milliseconds, early.signal)]);
      signal.removeEventListener('abort', end);
      end();
    },
    close,
  };
}
