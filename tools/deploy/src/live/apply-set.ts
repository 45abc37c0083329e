import type { KubernetesObject, LiveObject } from '#ports';
import { applySetParent, groupKind } from '../labels.ts';
import type { RenderedSite } from '../types.ts';

const KINDS = 'applyset.kubernetes.io/contains-group-kinds';

/**
 * The rendered site whose ApplySet also names the kinds of members that are there and will be pruned: as KEP-3659 wants, so that
 * whoever prunes after a killed run still looks at them.
 */
export function withKindsOf(rendered: RenderedSite, site: { readonly name: string }, members: Iterable<LiveObject>): RenderedSite {
  const kinds = new Set([...members].filter(({ kind }) => kind !== 'Namespace').map(groupKind));
  return { ...rendered, foundation: rendered.foundation.map((object) => (isApplySet(object, site) ? widened(object, kinds) : object)) };
}

/** The kinds that the members of a site's ApplySet may be of, as `groupKind` spells them, from its parent in the cluster. */
export function kindsOf(parent: KubernetesObject | undefined): ReadonlySet<string> {
  return new Set((parent?.metadata.annotations?.[KINDS] ?? '').split(',').filter(Boolean));
}

/** Whether an object is the parent of the site's ApplySet. */
export function isApplySet({ kind, metadata }: KubernetesObject, site: { readonly name: string }): boolean {
  return kind === 'ConfigMap' && metadata.name === applySetParent(site);
}

function widened(object: KubernetesObject, kinds: ReadonlySet<string>): KubernetesObject {
  const { annotations = {} } = object.metadata;
  const all = new Set([...kindsOf(object), ...kinds]);
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [KINDS]: [...all].sort().join(',') } } };
}
