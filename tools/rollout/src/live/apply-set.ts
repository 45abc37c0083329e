import type { KubernetesObject, LiveObject } from '#ports';
import {
  APPLY_SET_KINDS,
  APPLY_SET_NAMESPACES,
  groupKind,
  isApplySet,
  type Home,
  type RenderedSite,
} from '#site';

/**
 * The rendered site whose ApplySet also names the kinds and namespaces of existing members that
 * will be pruned: KEP-3659 requires it, so that a prune after a killed run still lists them.
 */
export function withKindsOf(
  rendered: RenderedSite,
  site: Home & { readonly name: string },
  members: readonly LiveObject[],
): RenderedSite {
  const kinds = new Set(members.filter(({ kind }) => kind !== 'Namespace').map(groupKind));
  const namespaces = new Set(members.flatMap(({ metadata }) => metadata.namespace ?? []));
  namespaces.delete(site.namespace);
  return {
    ...rendered,
    foundation: rendered.foundation.map((object) =>
      isApplySet(object, site)
        ? widened(widened(object, APPLY_SET_KINDS, kinds), APPLY_SET_NAMESPACES, namespaces)
        : object,
    ),
  };
}

/**
 * The kinds of a site's ApplySet members, as `groupKind` writes them, from its parent object in
 * the cluster.
 */
export function kindsOf(parent: KubernetesObject | undefined): ReadonlySet<string> {
  return listIn(parent, APPLY_SET_KINDS);
}

/** The namespaces of a site's ApplySet members besides the site's own, as `kindsOf`. */
export function namespacesOf(parent: KubernetesObject | undefined): ReadonlySet<string> {
  return listIn(parent, APPLY_SET_NAMESPACES);
}

function listIn(parent: KubernetesObject | undefined, annotation: string): ReadonlySet<string> {
  return new Set((parent?.metadata.annotations?.[annotation] ?? '').split(',').filter(Boolean));
}

function widened(
  object: KubernetesObject,
  annotation: string,
  more: ReadonlySet<string>,
): KubernetesObject {
  const { annotations = {} } = object.metadata;
  const all = new Set([...listIn(object, annotation), ...more]);
  if (all.size === 0) return object;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...annotations, [annotation]: [...all].sort().join(',') },
    },
  };
}
