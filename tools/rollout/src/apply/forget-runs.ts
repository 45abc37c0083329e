import type { ObjectRef } from '#ports';
import { keyOf, refOf } from '#site';
import type { DeployPlan, LostSecrets } from '../plan/types.ts';
import { dropEntries } from '../record/ledger-store.ts';
import type { StepFailure } from '../session/step-failure.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

const SECRET = { apiVersion: 'v1', kind: 'Secret' };

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
 * that the pods wait for are created only after that, so a killed run starts here again. Copies
 * with old values are deleted before, so no pod starts with one.
 */
async function forgetRuns(
  { jobs, pods, copies = [] }: Omit<LostSecrets, 'names'>,
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
  for (const copy of copies) {
    const [namespace = '', name = ''] = copy.split('/');
    await deleteCopy({ ...SECRET, namespace, name }, context);
  }
  for (const { name, uid, namespace = site.namespace } of pods) {
    const ref = { apiVersion: 'v1', kind: 'Pod', name, namespace };
    await cluster.delete(ref, { preconditions: { uid } });
    emit({ type: 'written', key: keyOf(ref, site), action: 'unstick', reason });
  }
  return [];
}

/** Deletes a copy of a Secret; one of another owner stays. */
async function deleteCopy(
  ref: ObjectRef & { readonly namespace: string },
  { cluster, site, emit }: ApplyContext,
): Promise<void> {
  const { items } = await cluster.list(SECRET, {
    namespace: ref.namespace,
    labelSelector: `app.kubernetes.io/part-of=${site.name}`,
    metadataOnly: true,
  });
  const found = items.find(({ metadata }) => metadata.name === ref.name);
  if (found === undefined) return;
  await cluster.delete(ref, { preconditions: { uid: found.metadata.uid } });
  emit({
    type: 'written',
    key: keyOf(ref, site),
    action: 'prune',
    reason: `is a copy of Secret/${ref.name}, which is missing`,
  });
}
