import { omitUndefined } from '#core';
import type { Cluster, KindRef, KubernetesObject, LiveObject } from '#ports';
import {
  applySetId,
  groupKind,
  keyOf,
  objectsOf,
  refOf,
  renderedNamespaces,
  type ObjectKey,
  type RenderedSite,
} from '#site';
import { secretNames } from '../live/read-live.ts';
import { unlessHidden } from '../live/unless-hidden.ts';
import type { SiteName } from '../session/site-name.ts';

const MEMBER = 'applyset.kubernetes.io/part-of';

/** The existing objects of a site. */
export interface Members {
  readonly objects: ReadonlyMap<ObjectKey, LiveObject>;
  /** Keys of the Secrets in the site's namespaces. */
  readonly secrets: ReadonlySet<ObjectKey>;
  /** Kinds that this account may not read. */
  readonly unread: ReadonlySet<string>;
}

/**
 * Reads the existing objects of a rendered site, without Jobs and the kinds in `except`: one
 * request for each kind, and one more for a kind with missing objects, which may only have lost
 * their label. Objects that never have the label are few, and are read one by one.
 */
export async function readMembers(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  except: readonly KindRef[] = [],
): Promise<Members> {
  const skipped = new Set([...except.map(groupKind), 'Job.batch']);
  const wanted = objectsOf(rendered).filter((object) => !skipped.has(groupKind(object)));
  const isMember = ({ metadata }: KubernetesObject): boolean =>
    metadata.labels?.[MEMBER] !== undefined;
  const objects = new Map<ObjectKey, LiveObject>();
  const unread = new Set<string>();
  const note = async (
    kind: string,
    ask: () => Promise<readonly (LiveObject | undefined)[]>,
  ): Promise<void> => {
    const found = await unlessHidden(ask);
    if (found === 'hidden') unread.add(kind);
    else
      for (const object of found)
        if (object !== undefined) objects.set(keyOf(object, site), object);
  };
  const [secrets] = await Promise.all([
    rendered.secrets.length === 0
      ? new Set<string>()
      : secretNames(cluster, site, renderedNamespaces(rendered, site)),
    ...[...Map.groupBy(wanted.filter(isMember), placeOf).values()].map((all) =>
      note(all[0]!.kind, () => readKind(cluster, site, all)),
    ),
    ...wanted
      .filter((object) => !isMember(object))
      .map((object) => note(object.kind, async () => [await cluster.get(refOf(object))])),
  ]);
  if (secrets === undefined) unread.add('Secret');
  return { objects, secrets: secrets ?? new Set(), unread };
}

/** Kind and namespace of an object. */
function placeOf(object: KubernetesObject): string {
  return `${groupKind(object)} ${object.metadata.namespace ?? ''}`;
}

async function readKind(
  cluster: Cluster,
  site: SiteName,
  wanted: readonly KubernetesObject[],
): Promise<readonly LiveObject[]> {
  const { apiVersion, kind, metadata } = wanted[0]!;
  const { namespace = site.namespace } = metadata;
  const read = async (labelSelector?: string): Promise<readonly LiveObject[]> =>
    (await cluster.list({ apiVersion, kind }, { namespace, ...omitUndefined({ labelSelector }) }))
      .items;
  const members = await read(`${MEMBER}=${applySetId(site)}`);
  const found = new Set(members.map(({ metadata: { name } }) => name));
  return wanted.every((object) => found.has(object.metadata.name)) ? members : await read();
}
