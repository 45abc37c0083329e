import { shortList } from '#core';
import { keyOf, refOfKey, renderedNamespaces, type Home, type ObjectKey } from '#site';
import { each } from '../live/each.ts';
import { secretsOf } from '../plan/secrets-of.ts';
import type { DeployPlan, PlannedStep } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { isFinished, type Pod } from '../wait/pod.ts';
import type { ApplyContext } from './context.ts';

const INSTANCE = 'app.kubernetes.io/instance';
/** Milliseconds between looks, and until pods that stay are a failure. */
const LOOK = 1000;
const LONGEST = 900_000;
/** Pods named in a text. */
const MOST = 3;
/** Maximum calls at the same time. */
const CALLS = 4;

/**
 * Waits until no pod in any namespace of the site needs what a step removes, also none that is
 * being deleted: a workload's status does not count such pods, but they still run. Resolves with a
 * failure if some pods remain.
 *
 * - A contract waits for ending pods of its instance, whose code may need the earlier schema.
 * - A step that retires Secrets waits for pods that use them. Agents of nodes use copies of the
 *   same name in their own namespace. Pods of workloads that the plan prunes do not count: they are
 *   deleted at the end, and would never use other Secrets.
 */
export async function waitForOldPods(
  step: PlannedStep,
  plan: DeployPlan,
  { cluster, site, clock, signal, emit, watch }: ApplyContext,
): Promise<StepFailure | undefined> {
  const { id, objects, retires = [] } = step;
  if (retires.length === 0 && step.phase !== 'contract') return undefined;
  const key: ObjectKey = objects[0] ?? id;
  const since = clock.now();
  const namespaces = namespacesOf(plan, site);
  let said = '';
  while (!signal.aborted) {
    const lists = await each(namespaces, CALLS, (namespace) =>
      cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace }),
    );
    const pruned = new Set(
      plan.prune.flatMap(({ key: gone }) => {
        const workload = watch.object(gone);
        const pods = workload === undefined ? [] : watch.podsOf(workload, 'all');
        return pods.map(({ metadata }) => metadata.uid);
      }),
    );
    const users = lists
      .flatMap(({ items }) => items as readonly Pod[])
      .filter(
        (pod) =>
          !isFinished(pod) &&
          (isEndingOf(step, pod) ||
            (!pruned.has(pod.metadata.uid) &&
              secretsOf(pod.spec).some((name) => retires.includes(name)))),
      );
    if (users.length === 0) return undefined;
    const names = users.map((pod) => keyOf(pod, site)).sort();
    const text = `waits for ${shortList(names, MOST)}, which ${reasonOf(step, users.length === 1)}`;
    if (clock.now() - since >= LONGEST)
      return plainFailure(key, `${text} after ${LONGEST / 60_000} minutes`);
    if (text !== said) emit({ type: 'step-waits', step: id, key, reason: text });
    said = text;
    await clock.sleep(LOOK, signal);
  }
  return plainFailure(key, 'was not started: the run was cancelled');
}

/** True for a pod of a contract's instance that is being deleted. */
function isEndingOf({ phase, instance }: PlannedStep, { metadata }: Pod): boolean {
  return (
    phase === 'contract' &&
    metadata.deletionTimestamp !== undefined &&
    metadata.labels?.[INSTANCE] === instance
  );
}

function reasonOf({ phase }: PlannedStep, isOne: boolean): string {
  if (phase === 'contract')
    return `${isOne ? 'is' : 'are'} still terminating and may need the earlier schema`;
  return `still ${isOne ? 'uses' : 'use'} a Secret of an earlier generation`;
}

/** The namespaces of a site, also those that an apply empties. */
function namespacesOf({ rendered, prune, steps }: DeployPlan, home: Home): readonly string[] {
  const left = [...prune, ...steps.flatMap(({ supersedes }) => supersedes)];
  return [
    ...new Set([
      ...renderedNamespaces(rendered, home),
      ...left.flatMap(({ key, apiVersion }) => refOfKey(key, apiVersion, home).namespace ?? []),
    ]),
  ];
}
