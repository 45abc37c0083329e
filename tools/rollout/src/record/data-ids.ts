import { omitUndefined } from '#core';
import type { Cluster, LiveObject } from '#ports';
import { keyOf, ROLE, WRITER, type Home, type ObjectKey, type RenderedSite } from '#site';

/** The annotation in which a pod publishes the id of the data that it serves. */
const DATA = 'ccp.openstack.org/data';

/**
 * The annotation in which a database's pod publishes the newest migrations of its databases:
 * `keystone=29e87d24a316,e25ffa003242 nova_api=cdeec0c85668`.
 */
const SCHEMAS = 'ccp.openstack.org/schemas';

/** Ids of data by StatefulSet, as its writer publishes them. */
export type DataIds = ReadonlyMap<ObjectKey, string>;

/** Newest migrations by database, by the StatefulSet whose writer publishes them. */
export type DataHeads = ReadonlyMap<ObjectKey, Readonly<Record<string, readonly string[]>>>;

/** The ids that these pods publish. */
export function dataIdsOf(pods: readonly LiveObject[], home: Home): DataIds {
  return publishedBy(pods, home, DATA);
}

/** The newest migrations that these pods publish. */
function dataHeadsOf(pods: readonly LiveObject[], home: Home): DataHeads {
  return new Map([...publishedBy(pods, home, SCHEMAS)].map(([key, text]) => [key, headsIn(text)]));
}

/** Parses the value of the annotation. */
export function headsIn(text: string): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    text.split(' ').flatMap((part) => {
      const [, database, ids] = /^([^=]+)=(.*)$/.exec(part) ?? [];
      return database === undefined ? [] : [[database, ids!.split(',').filter(Boolean)]];
    }),
  );
}

/** The values of an annotation of writers by their StatefulSet. */
function publishedBy(
  pods: readonly LiveObject[],
  home: Home,
  annotation: string,
): ReadonlyMap<ObjectKey, string> {
  return new Map(
    pods.flatMap(({ metadata }) => {
      const value = metadata.annotations?.[annotation];
      const set = metadata.ownerReferences?.find(({ kind }) => kind === 'StatefulSet');
      return value === undefined || set === undefined || metadata.labels?.[ROLE] !== WRITER
        ? []
        : [
            [
              keyOf({ ...set, ...omitUndefined({ namespace: metadata.namespace }) }, home),
              value,
            ] as const,
          ];
    }),
  );
}

/**
 * Reads the ids of a site's data and the newest migrations in it. Sends no request if no workload
 * elects a writer.
 */
export async function readPublished(
  cluster: Cluster,
  home: Home,
  { foundation }: Pick<RenderedSite, 'foundation'>,
): Promise<{ readonly ids: DataIds; readonly heads: DataHeads }> {
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
  const pods = lists.flatMap(({ items }) => items);
  return { ids: dataIdsOf(pods, home), heads: dataHeadsOf(pods, home) };
}
