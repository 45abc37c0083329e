import { shortList } from '#core';
import { keyOf, renderedNamespaces, type ObjectKey, type RenderedSite } from '#site';
import { each } from '../live/each.ts';
import { secretsOf } from '../plan/secrets-of.ts';
import type { PlannedStep } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { isFinished, type Pod } from '../wait/pod.ts';
import type { ApplyContext } from './context.ts';

/** Milliseconds between looks, and until pods that stay are a failure. */
const LOOK = 1000;
const LONGEST = 900_000;
/** Maximum calls at the same time. */
const CALLS = 4;
/** Pods named in a text. */
const MOST = 3;

/**
 * Waits until no pod uses the Secrets that a step retires, also none that is being deleted, nor one
 * that uses a copy in another namespace. Resolves with a failure if some still do.
 */
export async function waitUntilUnused(
  { id, objects, retires = [] }: PlannedStep,
  rendered: RenderedSite,
  { cluster, site, clock, signal, emit }: ApplyContext,
): Promise<StepFailure | undefined> {
  if (retires.length === 0) return undefined;
  const key: ObjectKey = objects[0] ?? id;
  const namespaces = renderedNamespaces(rendered, site);
  const since = clock.now();
  let said = '';
  while (!signal.aborted) {
    const lists = await each(namespaces, CALLS, (namespace) =>
      cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace }),
    );
    const users = lists
      .flatMap(({ items }) => items as readonly Pod[])
      .filter(
        (pod) => !isFinished(pod) && secretsOf(pod.spec).some((name) => retires.includes(name)),
      );
    if (users.length === 0) return undefined;
    const names = users.map((pod) => keyOf(pod, site)).sort();
    const text = `waits for ${shortList(names, MOST)}, which still ${users.length === 1 ? 'uses' : 'use'} a Secret of an earlier generation`;
    if (clock.now() - since >= LONGEST)
      return plainFailure(key, `${text} after ${LONGEST / 60_000} minutes`);
    if (text !== said) emit({ type: 'step-waits', step: id, key, reason: text });
    said = text;
    await clock.sleep(LOOK, signal);
  }
  return plainFailure(key, 'was not started: the run was cancelled');
}
