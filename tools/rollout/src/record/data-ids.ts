import { omitUndefined } from '#core';
import type { Cluster, LiveObject } from '#ports';
import { keyOf, ROLE, WRITER, type Home, type ObjectKey, type RenderedSite } from '#site';

/** The annotation in which a pod publishes the id of the data that it serves. */
const DATA = 'ccp.openstack.org/data';

/** Ids of data by StatefulSet, as its writer publishes them. */
export type DataIds = ReadonlyMap<ObjectKey, string>;

/** The ids that these pods publish. */
export function dataIdsOf(pods: readonly LiveObject[], home: Home): DataIds {
  return new Map(
    pods.flatMap(({ metadata }) => {
      const id = metadata.annotations?.[DATA];
      const set = metadata.ownerReferences?.find(({ kind }) => kind === 'StatefulSet');
      return id === undefined || set === undefined || metadata.labels?.[ROLE] !== WRITER
        ? []
        : [
            [
              keyOf({ ...set, ...omitUndefined({ namespace: metadata.namespace }) }, home),
              id,
            ] as const,
          ];
    }),
  );
}

/** Reads the ids of a site's data. Without a workload that elects a writer there is no request. */
export async function readDataIds(
  cluster: Cluster,
  home: Home,
  { foundation }: Pick<RenderedSite, 'foundation'>,
): Promise<DataIds> {
  const electing = foundation.flatMap(({ metadata, spec }) => {
    const { selector } = (spec ?? {}) as { readonly selector?: Readonly<Record<string, string>> };
    return selector?.[ROLE] === WRITER ? [metadata.namespace ?? home.namespace] : [];
  });
  const lists = await Promise.all(
    [...new Set(electing)].map((namespace) =>
      cluster.list(
        { apiVersion: 'v1', kind: 'Pod' },
        { namespace, labelSelector: `${ROLE}=${WRITER}`, metadataOnly: true },
      ),
    ),
  );
  return dataIdsOf(
    lists.flatMap(({ items }) => items),
    home,
  );
}
