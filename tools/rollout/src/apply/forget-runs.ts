import { keyOf, refOf } from '#site';
import type { DeployPlan, LostSecrets } from '../plan/types.ts';
import { dropEntries } from '../record/ledger-store.ts';
import type { StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

/** Everything that a plan wants to forget. */
export async function forgetAll(
  { lost, outdated = [] }: Pick<DeployPlan, 'lost' | 'outdated'>,
  context: ApplyContext,
): Promise<readonly StepFailure[]> {
  const failures: StepFailure[] = [];
  if (lost !== undefined) failures.push(...(await forgetRuns(lost, lostText(lost), context)));
  for (const { jobs, reason } of outdated)
    failures.push(...(await forgetRuns({ jobs, pods: [] }, `runs again: ${reason}`, context)));
  return failures;
}

function lostText({ names }: LostSecrets): string {
  return `used ${names.map((name) => `Secret/${name}`).join(', ')}, which ${names.length === 1 ? 'is' : 'are'} missing`;
}

/**
 * Prepares for Jobs that run again: they are deleted, in the ledger too, and pods restart. Secrets
 * that the pods wait for are created only after that, so a killed run starts here again.
 */
async function forgetRuns(
  { jobs, pods }: Pick<LostSecrets, 'jobs' | 'pods'>,
  reason: string,
  context: ApplyContext,
): Promise<readonly StepFailure[]> {
  const { cluster, site, emit } = context;
  for (const name of jobs) {
    const live = await cluster.get({
      apiVersion: 'batch/v1',
      kind: 'Job',
      name,
      namespace: site.namespace,
    });
    const failure =
      live === undefined ? undefined : await removeObject(refOf(live), live.metadata.uid, context);
    if (failure !== undefined) return [failure];
    emit({ type: 'written', key: `Job/${name}`, action: 'prune', reason });
  }
  await dropEntries(cluster, site, jobs);
  for (const { name, uid, namespace = site.namespace } of pods) {
    const ref = { apiVersion: 'v1', kind: 'Pod', name, namespace };
    await cluster.delete(ref, { preconditions: { uid } });
    emit({ type: 'written', key: keyOf(ref, site), action: 'unstick', reason });
  }
  return [];
}
