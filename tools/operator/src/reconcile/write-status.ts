import { canonicalJson, type Json } from '#core';
import type { Cluster } from '#ports';
import { conditionsFrom, type Verdicts } from '../resources/conditions.ts';
import { OPERATOR_MANAGER } from '../resources/kinds.ts';
import type { ManagedResource, ReleaseStatus } from '../resources/types.ts';

/** The parts of a status that a pass has found; absent parts are removed. */
export interface Report extends Omit<ReleaseStatus, 'conditions' | 'observedGeneration'> {
  readonly verdicts: Verdicts;
}

/**
 * Writes the status of a resource if it differs from the one that was read. `stale` if the resource
 * has changed since: the next pass writes it. `now` is in milliseconds since 1970.
 */
export async function writeStatus(
  cluster: Pick<Cluster, 'update'>,
  resource: ManagedResource,
  { verdicts, ...rest }: Report,
  now: number,
): Promise<ManagedResource | 'stale'> {
  const generation = resource.metadata.generation ?? 0;
  const status: ReleaseStatus = {
    ...rest,
    observedGeneration: generation,
    conditions: conditionsFrom(verdicts, resource.status?.conditions ?? [], {
      now: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
      generation,
    }),
  };
  if (textOf(status) === textOf(resource.status ?? {})) return resource;
  const written = await cluster.update(
    { ...resource, status },
    { fieldManager: OPERATOR_MANAGER, subresource: 'status' },
  );
  return written.outcome === 'updated' ? (written.object as ManagedResource) : 'stale';
}

function textOf(status: ReleaseStatus): string {
  return canonicalJson(status as unknown as Json);
}
