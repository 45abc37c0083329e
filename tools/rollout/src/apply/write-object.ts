import { omitUndefined } from '#core';
import type { LiveObject, ObjectRef } from '#ports';
import { FIELD_MANAGER, keyOf, refOf } from '#site';
import { withOwnership } from '../live/added-fields.ts';
import { removedAdditions } from '../plan/additions.ts';
import type { PlannedObject } from '../plan/types.ts';
import { timeText } from '../session/time-text.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';
import { recreateClaims } from './recreate-claims.ts';
import { waitUntilDeleted } from './wait-until-deleted.ts';

/** Maximum tries to update an object that keeps changing. */
const HAND_OVERS = 10;

/** Kinds that are deleted together with their pods. */
export const WITH_PODS: ReadonlySet<string> = new Set([
  'CronJob',
  'Job',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
]);

/** Writes one planned object; resolves with the live object or a failure. */
export async function writeObject(
  planned: PlannedObject,
  context: ApplyContext,
): Promise<{ readonly live: LiveObject } | { readonly failure: StepFailure }> {
  const { cluster, emit } = context;
  const { key, action, desired, force } = planned;
  if (action === 'unchanged') {
    const failure = await recreateClaims(planned.remade ?? [], desired.metadata.namespace, context);
    if (failure !== undefined) return { failure };
    const live = context.watch.object(key) ?? (await cluster.get(refOf(desired)));
    return live === undefined
      ? { failure: plainFailure(key, 'was deleted by someone else') }
      : { live };
  }
  if (action === 'replace') {
    const failure = await removeObject(
      refOf(desired),
      planned.uid!,
      context,
      ...(planned.together === undefined ? [] : ['go' as const]),
    );
    if (failure !== undefined) return { failure };
  }
  if (action === 'update' && removedAdditions(planned.added).length > 0)
    await handOver(planned, context);
  // While a StatefulSet is deleted or up to date, no controller creates the old claims again.
  const failure = await recreateClaims(planned.remade ?? [], desired.metadata.namespace, context);
  if (failure !== undefined) return { failure };
  const outcome = await cluster.apply(desired, { fieldManager: FIELD_MANAGER, force });
  if (outcome.outcome === 'applied') {
    if (action !== 'refused')
      emit({
        type: 'written',
        key,
        action,
        ...omitUndefined({ reason: planned.reason }),
      });
    return { live: outcome.object };
  }
  if (outcome.outcome === 'conflict')
    return {
      failure: plainFailure(
        key,
        `was changed in the meantime by ${outcome.conflicts.map(({ manager, field }) => `${manager} (${field})`).join(', ')}`,
      ),
    };
  return {
    failure: plainFailure(
      key,
      outcome.outcome === 'stale'
        ? 'was changed in the meantime'
        : `was rejected by the API server: ${outcome.message}`,
    ),
  };
}

/**
 * Makes ccp the owner of the additions that the plan removes, so that the next apply removes them
 * together with its other changes. A run killed in between is continued by the next one.
 */
async function handOver(
  { desired, added }: PlannedObject,
  { cluster, clock }: ApplyContext,
): Promise<void> {
  const fields = new Set(removedAdditions(added).map(({ field }) => field));
  for (let tries = 0; tries < HAND_OVERS; tries++) {
    const live = await cluster.get(refOf(desired));
    if (live === undefined) return;
    const { outcome } = await cluster.update(
      withOwnership(live, fields, timeText(clock).replace(/\.\d+Z$/, 'Z')),
      { fieldManager: FIELD_MANAGER },
    );
    if (outcome !== 'stale') return;
  }
}

/**
 * Deletes an object if it still has this uid, and waits until it no longer exists. A Job and a
 * pruned workload are deleted with their pods; a replaced StatefulSet leaves them to its successor
 * (`pods: 'stay'`).
 */
export async function removeObject(
  ref: ObjectRef,
  uid: string,
  context: Pick<ApplyContext, 'cluster' | 'site' | 'clock' | 'signal'>,
  pods: 'go' | 'stay' = ref.kind === 'StatefulSet' ? 'stay' : 'go',
): Promise<StepFailure | undefined> {
  const propagation =
    pods === 'stay' ? 'orphan' : WITH_PODS.has(ref.kind) ? 'foreground' : 'background';
  const outcome = await context.cluster.delete(ref, { propagation, preconditions: { uid } });
  if (outcome.outcome === 'stale')
    return plainFailure(keyOf(ref, context.site), 'was deleted and created again by someone else');
  return await waitUntilDeleted(ref, uid, context);
}
