import { refOf } from '#site';
import type { LostSecrets } from '../plan/types.ts';
import { dropEntries } from '../record/ledger-store.ts';
import type { StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

/**
 * Prepares for Secrets that are created again: the Jobs that used the lost ones are deleted, in the
 * ledger too, and pods that use them restart and wait for the new ones. The Secrets are created
 * only after that, so a killed run starts here again.
 */
export async function forgetRuns(
  { names, jobs, pods }: LostSecrets,
  context: ApplyContext,
): Promise<readonly StepFailure[]> {
  const { cluster, site, emit } = context;
  const reason = `used ${names.map((name) => `Secret/${name}`).join(', ')}, which ${names.length === 1 ? 'is' : 'are'} missing`;
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
  for (const { name, uid } of pods) {
    await cluster.delete(
      { apiVersion: 'v1', kind: 'Pod', name, namespace: site.namespace },
      { preconditions: { uid } },
    );
    emit({ type: 'written', key: `Pod/${name}`, action: 'unstick', reason });
  }
  return [];
}
