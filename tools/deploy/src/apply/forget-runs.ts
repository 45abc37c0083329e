import { refOf } from '../live/object-key.ts';
import type { LostSecrets } from '../plan/types.ts';
import { dropEntries } from '../record/ledger-store.ts';
import type { StepFailure } from '../wait/failure.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

/**
 * Makes way for Secrets that are made anew: the Jobs that ran with the lost ones go, from the ledger too, and pods that use them
 * start again and wait for the new ones. Only then are they made, so a run that is killed begins with this again.
 */
export async function forgetRuns({ names, jobs, pods }: LostSecrets, context: ApplyContext): Promise<readonly StepFailure[]> {
  const { cluster, site, emit } = context;
  const reason = `ran with ${names.map((name) => `Secret/${name}`).join(', ')}, which ${names.length === 1 ? 'is' : 'are'} gone`;
  for (const name of jobs) {
    const live = await cluster.get({ apiVersion: 'batch/v1', kind: 'Job', name, namespace: site.namespace });
    const failure = live === undefined ? undefined : await removeObject(refOf(live), live.metadata.uid, context);
    if (failure !== undefined) return [failure];
    emit({ type: 'written', key: `Job/${name}`, action: 'prune', reason });
  }
  await dropEntries(cluster, site, jobs);
  for (const { name, uid } of pods) {
    await cluster.delete({ apiVersion: 'v1', kind: 'Pod', name, namespace: site.namespace }, { preconditions: { uid } });
    emit({ type: 'written', key: `Pod/${name}`, action: 'unstick', reason });
  }
  return [];
}
