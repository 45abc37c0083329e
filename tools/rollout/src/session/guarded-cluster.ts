import type { Cluster } from '#ports';

/**
 * A cluster that calls `allow` before each write: an error prevents the write, a promise delays it.
 * Dry runs are not writes.
 */
export function guardedCluster(cluster: Cluster, allow: () => void | Promise<void>): Cluster {
  return {
    name: cluster.name,
    version: () => cluster.version(),
    kinds: () => cluster.kinds(),
    get: (ref) => cluster.get(ref),
    list: (kind, selection) => cluster.list(kind, selection),
    watch: (kind, selection) => cluster.watch(kind, selection),
    logs: (pod, options) => cluster.logs(pod, options),
    events: (ref) => cluster.events(ref),
    apply: async (object, options) => {
      if (options.dryRun !== true) await allow();
      return cluster.apply(object, options);
    },
    create: async (object, options) => {
      await allow();
      return cluster.create(object, options);
    },
    update: async (object, options) => {
      await allow();
      return cluster.update(object, options);
    },
    delete: async (ref, options) => {
      await allow();
      return cluster.delete(ref, options);
    },
  };
}
