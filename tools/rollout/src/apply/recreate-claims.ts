import { asKind } from '#ports';
import { keyOf } from '#site';
import { isUnbound } from '../plan/claim-templates.ts';
import type { RemadeClaim } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';
import { waitUntilDeleted } from './wait-until-deleted.ts';

/** Maximum reads of a claim that keeps changing. */
const LOOKS = 5;

/**
 * Deletes claims that were never bound, with the pods that wait for them, so that their StatefulSet
 * creates both again. A claim that was bound since it was planned stays: the deletion requires the
 * version that was read.
 */
export async function recreateClaims(
  claims: readonly RemadeClaim[],
  namespace: string | undefined,
  context: ApplyContext,
): Promise<StepFailure | undefined> {
  for (const claim of claims) {
    const failure = await recreateClaim(claim, namespace ?? context.site.namespace, context);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

async function recreateClaim(
  { name, uid, pod, reason }: RemadeClaim,
  namespace: string,
  context: ApplyContext,
): Promise<StepFailure | undefined> {
  const { cluster, site, emit } = context;
  const at = { apiVersion: 'v1', namespace };
  const ref = { ...at, kind: 'PersistentVolumeClaim', name };
  for (let look = 0; look < LOOKS; look++) {
    const live = await cluster.get(ref);
    if (live === undefined || live.metadata.uid !== uid || !isUnbound(live)) return undefined;
    const { resourceVersion } = live.metadata;
    if (
      (await cluster.delete(ref, { preconditions: { uid, resourceVersion } })).outcome === 'stale'
    )
      continue;
    const failure = await waitUntilDeleted(ref, uid, context);
    if (failure !== undefined) return failure;
    emit({ type: 'written', key: keyOf(ref, site), action: 'replace', reason });
    const waiting = await cluster.get({ ...at, kind: 'Pod', name: pod });
    if (asKind('Pod', waiting)?.status?.phase !== 'Pending') return undefined;
    await cluster.delete(
      { ...at, kind: 'Pod', name: pod },
      { preconditions: { uid: waiting!.metadata.uid } },
    );
    emit({
      type: 'written',
      key: keyOf({ ...at, kind: 'Pod', name: pod }, site),
      action: 'unstick',
      reason: `waits for ${keyOf(ref, site)}, which is created again`,
    });
    return undefined;
  }
  return plainFailure(keyOf(ref, site), 'could not be created again, because it keeps changing');
}
