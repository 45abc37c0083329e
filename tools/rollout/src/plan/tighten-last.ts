import type { LiveState } from '../live/live-state.ts';
import { ENFORCE, isLaxer } from '../live/pod-security.ts';
import type { PlannedObject } from './types.ts';

/**
 * A namespace that gets a stricter pod security level is written last: until then it has pods of
 * the previous revision, which must be able to start again. Returns other plans unchanged.
 */
export function tightenLast(
  planned: PlannedObject,
  { objects }: Pick<LiveState, 'objects'>,
): PlannedObject {
  if (planned.desired.kind !== 'Namespace' || planned.action !== 'update') return planned;
  const [before, after] = [objects.get(planned.key), planned.desired].map(
    (object) => object?.metadata.labels?.[ENFORCE],
  );
  return before !== undefined && after !== undefined && isLaxer(before, after)
    ? {
        ...planned,
        last: true,
        reason: 'gets a stricter pod security level after all other changes',
      }
    : planned;
}
