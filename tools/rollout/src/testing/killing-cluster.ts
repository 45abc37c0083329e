import type { Cluster, LiveObject } from '#ports';
import { keyOf } from '#site';
import { TINY } from '#site/testing';
import { guardedCluster } from '../session/guarded-cluster.ts';

/**
 * A cluster as seen by a process that is killed after its n-th write: no call answers after that.
 */
export function killingCluster(
  cluster: Cluster,
  at: number,
): { readonly cluster: Cluster; readonly killed: () => boolean } {
  let writes = 0;
  let dead = false;
  const die = (): never => {
    dead = true;
    throw new Error('killed');
  };
  const alive = (): void => void (dead && die());
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    alive();
    if (writes++ !== at) return await work();
    await work();
    return die();
  };
  const read = async <T>(work: () => Promise<T>): Promise<T> => {
    alive();
    const result = await work();
    alive();
    return result;
  };
  return {
    killed: () => dead,
    cluster: {
      ...guardedCluster(cluster, alive),
      get: (ref) => read(() => cluster.get(ref)),
      list: (kind, selection) => read(() => cluster.list(kind, selection)),
      apply: (object, options) =>
        options.dryRun === true
          ? read(() => cluster.apply(object, options))
          : write(() => cluster.apply(object, options)),
      create: (object, options) => write(() => cluster.create(object, options)),
      update: (object, options) => write(() => cluster.update(object, options)),
      delete: (ref, options) => write(() => cluster.delete(ref, options)),
    },
  };
}

const DIFFERENT = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'time',
  'generation',
  'observedGeneration',
  'managedFields',
  'startedAt',
  'endedAt',
  'at',
  'seconds',
  'order',
]);

/**
 * All objects of a cluster by kind and name, without ids, versions, times and durations. The
 * expired Lease of a killed run is ignored.
 */
export function endState(cluster: {
  readonly store: { all(): readonly LiveObject[] };
}): Record<string, unknown> {
  const objects = cluster.store.all().filter(({ kind }) => kind !== 'Lease');
  return Object.fromEntries(objects.map((object) => [keyOf(object, TINY), plain(object)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('{"')) return plain(JSON.parse(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DIFFERENT.has(key))
      .map(([key, inner]) => [key, plain(inner)]),
  );
}
