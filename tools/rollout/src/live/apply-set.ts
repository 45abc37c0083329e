import type { KubernetesObject, LiveObject } from '#ports';
import { groupKind, isApplySet, type RenderedSite } from '#site';

const KINDS = 'applyset.kubernetes.io/contains-group-kinds';

/**
 * The rendered site whose ApplySet also names the kinds of existing members that will be pruned:
 * KEP-3659 requires it, so that a prune after a killed run still lists them.
 */
export function withKindsOf(
  rendered: RenderedSite,
  site: { readonly name: string },
  members: Iterable<LiveObject>,
): RenderedSite {
  const kinds = new Set([...members].filter(({ kind }) => kind !== 'Namespace').map(groupKind));
  return {
    ...rendered,
    foundation: rendered.foundation.map((object) =>
      isApplySet(object, site) ? widened(object, kinds) : object,
    ),
  };
}

/**
 * The kinds of a site's ApplySet members, as `groupKind` writes them, from its parent object in the
 * cluster.
 */
export function kindsOf(parent: KubernetesObject | undefined): ReadonlySet<string> {
  return new Set((parent?.metadata.annotations?.[KINDS] ?? '').split(',').filter(Boolean));
}

function widened(object: KubernetesObject, kinds: ReadonlySet<string>): KubernetesObject {
  const { annotations = {} } = object.metadata;
  const all = new Set([...kindsOf(object), ...kinds]);
  return {
    ...object,
    metadata: {
      ...object.metadata,
      annotations: { ...annotations, [KINDS]: [...all].sort().join(',') },
    },
  };
}
