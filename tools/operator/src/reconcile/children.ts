import { RELEASE, SERVICE } from '../resources/kinds.ts';
import type { ChildState, ManagedResource } from '../resources/types.ts';
import type { Pass } from './pass.ts';

/** Children that a status shows; it must stay small. */
const MOST = 64;
const LONGEST_MESSAGE = 256;

/**
 * The OpenStackServices in the namespace of an OpenStackRelease, in order of name. A release does
 * not change their objects. None for an OpenStackService.
 */
export async function readChildren({
  context: { cluster },
  resource,
}: Pick<Pass, 'context' | 'resource'>): Promise<readonly ChildState[]> {
  const { namespace = 'default' } = resource.metadata;
  if (resource.kind !== RELEASE.kind) return [];
  const { items } = await cluster.list(SERVICE, { namespace });
  return items
    .map((item) => childState(item as ManagedResource))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .slice(0, MOST);
}

/** The state of an OpenStackService as its umbrella shows it. */
export function childState({ metadata, spec, status }: ManagedResource): ChildState {
  const { name, generation } = metadata;
  const child = { name, app: spec.app ?? '' };
  const found = status?.conditions?.find(({ type }) => type === 'Ready');
  if (found === undefined || status?.observedGeneration !== generation)
    return { ...child, ready: 'Unknown', reason: 'NotSeen' };
  const { status: ready, reason = '', message = '' } = found;
  return {
    ...child,
    ready,
    reason,
    ...(ready === 'True' ? {} : { message: message.slice(0, LONGEST_MESSAGE) }),
  };
}
