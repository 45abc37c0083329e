import type { LiveState } from '../live/live-state.ts';
import { stopReason, type SchemaHop } from './schema-hops.ts';
import type { PlannedObject, PrunedObject, SuspendedCronJob } from './types.ts';

/**
 * The update of a workload that stops before migrations, as a replacement of the workload together
 * with its pods; and the update of a CronJob that is suspended then, although it may not differ
 * now. Returns other plans unchanged.
 */
export function stopForMigrations(
  planned: PlannedObject,
  hops: readonly SchemaHop[],
  { objects }: Pick<LiveState, 'objects'>,
): PlannedObject {
  const suspending = hops.find((hop) => isSuspended(planned, hop, { objects }));
  if (suspending !== undefined)
    return { ...planned, action: 'update', reason: suspendReason(suspending) };
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

/** The CronJobs that are suspended before a step that starts migrations. */
export function suspendedBefore(
  step: string,
  hops: readonly SchemaHop[],
  planned: readonly PlannedObject[],
  live: Pick<LiveState, 'objects'>,
): SuspendedCronJob[] {
  return hops
    .filter(({ before }) => before.includes(step))
    .flatMap((hop) =>
      planned
        .filter((object) => isSuspended(object, hop, live))
        .map(({ key }) => ({ key, stopJobs: !hop.compatible })),
    );
}

function isSuspended(
  { key, action, desired, instance }: PlannedObject,
  hop: SchemaHop,
  { objects }: Pick<LiveState, 'objects'>,
): boolean {
  return (
    desired.kind === 'CronJob' &&
    instance === hop.instance &&
    (action === 'update' || action === 'unchanged') &&
    objects.has(key)
  );
}

function suspendReason({ instance }: SchemaHop): string {
  return `is suspended during the migrations of ${instance}`;
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
