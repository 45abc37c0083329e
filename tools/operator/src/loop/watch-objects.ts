import { codeOf } from '#core';
import type { Cluster, KindRef, Selection } from '#ports';
import { applySetId, SITE_KINDS } from '#site';
import type { ManagedResource } from '../resources/types.ts';

const JOB = 'Job';

/** The objects that a resource's pass depends on; watched until closed. */
export interface ObjectsWatch {
  close(): Promise<void>;
}

/**
 * Watches the objects of a site and the ConfigMap that its resource names, and calls `changed`
 * after each change. Jobs are left out: the records say which ran. A kind that this account may not
 * read is left out; a later pass reads it again.
 */
export function watchSiteObjects(
  cluster: Pick<Cluster, 'watch'>,
  { metadata: { name, namespace = 'default' }, spec }: ManagedResource,
  namespaces: readonly string[],
  changed: () => void,
): ObjectsWatch {
  const stop = new AbortController();
  const labelSelector = `applyset.kubernetes.io/part-of=${applySetId({ name, namespace })}`;
  const follow = async (kind: KindRef, selection: Selection): Promise<void> => {
    let first = true;
    try {
      for await (const event of cluster.watch(kind, { ...selection, signal: stop.signal })) {
        if (event.type === 'lost') continue;
        if (!first) changed();
        first = false;
      }
    } catch (thrown) {
      if (codeOf(thrown) !== 'cluster-denied' && codeOf(thrown) !== 'cluster-kind-unknown')
        throw thrown;
    }
  };
  const source = spec.site.configMap?.name;
  const watches = [
    ...SITE_KINDS.filter(({ kind }) => kind !== JOB).flatMap((kind) =>
      namespaces.map((inside) => follow(kind, { namespace: inside, labelSelector })),
    ),
    ...(source === undefined
      ? []
      : [
          follow(
            { apiVersion: 'v1', kind: 'ConfigMap' },
            { namespace, fieldSelector: `metadata.name=${source}` },
          ),
        ]),
  ].map((each) => each.catch(changed));
  return {
    close: async () => {
      stop.abort();
      await Promise.all(watches);
    },
  };
}
