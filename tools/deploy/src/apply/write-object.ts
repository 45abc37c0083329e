import type { LiveObject, ObjectRef } from '#ports';
import { handedOver } from '../live/added-fields.ts';
import { keyOf, refOf } from '../live/object-key.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import { takenOf } from '../plan/additions.ts';
import type { PlannedObject } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../wait/failure.ts';
import { timeText } from './clock.ts';
import type { ApplyContext } from './context.ts';
import { remakeClaims } from './remake-claims.ts';
import { untilGone } from './until-gone.ts';

/** An object that others write to all the time is read anew as often as this. */
const HAND_OVERS = 10;

/** Kinds that go only when their pods have gone. */
export const WITH_PODS: ReadonlySet<string> = new Set(['CronJob', 'Job', 'Deployment', 'StatefulSet', 'DaemonSet']);

/** Brings one object to what was planned; resolves with it as it is then, or with why not. */
export async function writeObject(planned: PlannedObject, context: ApplyContext): Promise<{ readonly live: LiveObject } | { readonly failure: StepFailure }> {
  const { cluster, emit } = context;
  const { key, action, desired, force } = planned;
  if (action === 'unchanged') {
    const failure = await remakeClaims(planned.remade ?? [], context);
    if (failure !== undefined) return { failure };
    const live = context.watch.object(key) ?? (await cluster.get(refOf(desired)));
    return live === undefined ? { failure: plainFailure(key, 'was deleted by someone else') } : { live };
  }
  if (action === 'replace') {
    const failure = await removeObject(refOf(desired), planned.uid!, context, ...(planned.together === undefined ? [] : ['go' as const]));
    if (failure !== undefined) return { failure };
  }
  if (action === 'update' && takenOf(planned.added).length > 0) await handOver(planned, context);
  // While a StatefulSet is away or asks for what is wanted, nobody makes the claims as they were.
  const failure = await remakeClaims(planned.remade ?? [], context);
  if (failure !== undefined) return { failure };
  const outcome = await cluster.apply(desired, { fieldManager: FIELD_MANAGER, force });
  if (outcome.outcome === 'applied') {
    if (action !== 'refused') emit({ type: 'written', key, action, ...(planned.reason === undefined ? {} : { reason: planned.reason }) });
    return { live: outcome.object };
  }
  if (outcome.outcome === 'conflict')
    return { failure: plainFailure(key, `was changed meanwhile by ${outcome.conflicts.map(({ manager, field }) => `${manager} (${field})`).join(', ')}`) };
  return { failure: plainFailure(key, outcome.outcome === 'stale' ? 'was changed meanwhile' : `was refused by the server: ${outcome.message}`) };
}

/** Has what the plan takes away be ours, so that the apply that follows takes it away with all else that changes. A run that is killed in between leaves it so, and the next one goes on. */
async function handOver({ desired, added }: PlannedObject, { cluster, clock }: ApplyContext): Promise<void> {
  const fields = new Set(takenOf(added).map(({ field }) => field));
  for (let tries = 0; tries < HAND_OVERS; tries++) {
    const live = await cluster.get(refOf(desired));
    if (live === undefined) return;
    const { outcome } = await cluster.update(handedOver(live, fields, timeText(clock).replace(/\.\d+Z$/, 'Z')), { fieldManager: FIELD_MANAGER });
    if (outcome !== 'stale') return;
  }
}

/**
 * Deletes an object if it still is the one with this uid, and waits until it is gone. A Job and a pruned workload take their
 * pods with them; a StatefulSet that is replaced leaves them to its successor (`pods: 'stay'`).
 */
export async function removeObject(
  ref: ObjectRef,
  uid: string,
  context: ApplyContext,
  pods: 'go' | 'stay' = ref.kind === 'StatefulSet' ? 'stay' : 'go',
): Promise<StepFailure | undefined> {
  const propagation = pods === 'stay' ? 'orphan' : WITH_PODS.has(ref.kind) ? 'foreground' : 'background';
  const outcome = await context.cluster.delete(ref, { propagation, preconditions: { uid } });
  if (outcome.outcome === 'stale') return plainFailure(keyOf(ref), 'was made anew by someone else meanwhile');
  return await untilGone(ref, uid, context);
}
