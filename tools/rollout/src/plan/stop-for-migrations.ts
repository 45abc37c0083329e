import type { LiveState } from '../live/live-state.ts';
import { stopReason, type SchemaHop } from './schema-hops.ts';
import type { PlannedObject, PrunedObject } from './types.ts';

/**
 * The update of a workload that stops before migrations, as a replacement of the workload together
 * with its pods. Returns other plans unchanged.
 */
export function stopForMigrations(
  planned: PlannedObject,
  hops: readonly SchemaHop[],
  { objects }: Pick<LiveState, 'objects'>,
): PlannedObject {
  const hop = hops.find(({ stops }) => stops.includes(planned.key));
  const live = objects.get(planned.key);
  if (hop === undefined || live === undefined || planned.action !== 'update') return planned;
  return {
    ...planned,
    action: 'replace',
    uid: live.metadata.uid,
    together: true,
    reason: stopReason(hop),
  };
}

/** The workloads that are deleted before a step that starts migrations. */
export function stoppedBefore(
  step: string,
  hops: readonly SchemaHop[],
  { objects }: Pick<LiveState, 'objects'>,
): PrunedObject[] {
  return hops
    .filter(({ before }) => before.includes(step))
    .flatMap((hop) =>
      hop.stops.map((key) => {
        const { apiVersion, metadata } = objects.get(key)!;
        return { key, apiVersion, uid: metadata.uid, reason: stopReason(hop) };
      }),
    );
}
