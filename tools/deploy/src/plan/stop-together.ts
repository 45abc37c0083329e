import type { KubernetesObject, LiveObject } from '#ports';
import { SERIES } from '../labels.ts';
import type { Step } from '../types.ts';
import { podCount } from './rolls.ts';
import { secretsOf } from './secrets-of.ts';
import type { PlannedObject } from './types.ts';

/**
 * A change whose new pods could not work with old ones, as members of a cluster with two passwords cannot, as a replacement of the
 * workload with its pods; other plans as they are.
 */
export function stopTogether(planned: PlannedObject, live: LiveObject | undefined, { together }: Pick<Step, 'together'>): PlannedObject {
  if ((planned.action !== 'update' && planned.action !== 'replace') || live === undefined || podCount(live) < 2) return planned;
  const changed = newTogether(live, planned.desired, together);
  if (changed.length === 0) return planned;
  const why = `stops all its pods before new ones start, since they must have the same ${changed.join(', ')}`;
  return { ...planned, action: 'replace', uid: live.metadata.uid, together: true, reason: planned.reason === undefined ? why : `${why}; it ${planned.reason}` };
}

/** What all pods of a workload must have the same of, Secrets by their names, and pods that run have not. */
export function newTogether(live: LiveObject, desired: KubernetesObject, together: readonly string[] = []): string[] {
  const [before, after] = [secretsOf(live), secretsOf(desired)];
  const secrets = together.filter((name) => after.includes(name) && !before.includes(name));
  const series = annotationOf(desired, SERIES);
  return series === undefined || series === annotationOf(live, SERIES) ? secrets : [...secrets, 'series'];
}

/** An annotation of the pods that a workload makes. */
function annotationOf({ spec }: KubernetesObject, name: string): string | undefined {
  return (spec as { readonly template?: { readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } } } | undefined)?.template?.metadata
    ?.annotations?.[name];
}
