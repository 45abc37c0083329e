import type { KubernetesObject, LiveObject } from '#ports';
import { SERIES, type Step } from '#site';
import { podCount } from './rolls.ts';
import { secretsOf } from './secrets-of.ts';
import type { PlannedObject } from './types.ts';

/**
 * A change whose new pods cannot run next to old ones, for example cluster members with two
 * passwords, as a replacement of the workload together with its pods. Returns other plans
 * unchanged.
 */
export function stopTogether(
  planned: PlannedObject,
  live: LiveObject | undefined,
  { together }: Pick<Step, 'together'>,
): PlannedObject {
  if (
    (planned.action !== 'update' && planned.action !== 'replace') ||
    live === undefined ||
    podCount(live) < 2
  )
    return planned;
  const changed = newTogether(live, planned.desired, together);
  if (changed.length === 0) return planned;
  const why = `stops all its pods before new ones start, because all of them must have the same ${changed.join(', ')}`;
  return {
    ...planned,
    action: 'replace',
    uid: live.metadata.uid,
    together: true,
    reason: planned.reason === undefined ? why : `${why}; it ${planned.reason}`,
  };
}

/**
 * The values that all pods of a workload must share (Secrets by name, the series) and that running
 * pods do not have.
 */
export function newTogether(
  live: LiveObject,
  desired: KubernetesObject,
  together: readonly string[] = [],
): string[] {
  const [before, after] = [secretsOf(live), secretsOf(desired)];
  const secrets = together.filter((name) => after.includes(name) && !before.includes(name));
  const series = annotationOf(desired, SERIES);
  return series === undefined || series === annotationOf(live, SERIES)
    ? secrets
    : [...secrets, 'series'];
}

/** An annotation of a workload's pods. */
function annotationOf({ spec }: KubernetesObject, name: string): string | undefined {
  return (
    spec as
      | {
          readonly template?: {
            readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
          };
        }
      | undefined
  )?.template?.metadata?.annotations?.[name];
}
