import { omitUndefined } from '#core';
import type { Cluster, LiveObject } from '#ports';
import { keyOf, refOf, type Home } from '#site';
import type { StepFailure } from '../session/step-failure.ts';
import type { Assessment } from './assessment.ts';
import { eventText, isOfEarlierObject } from './event-text.ts';
import { podCause, withCause } from './pod-cause.ts';
import type { PodFailure } from './pod-failure.ts';
import { relevantLines } from './relevant-lines.ts';
import { failureText } from './failure-text.ts';

/** Lines of output that are searched. */
const LOG_LINES = 2000;
const EVENTS = 5;
/**
 * Events in which kubelet only repeats that an image cannot be pulled; another event has the cause.
 */
const ECHOES = /^(Error: (ErrImagePull|ImagePullBackOff)$|Back-off pulling image)/;

/**
 * Collects output and events of a failed object. Data that the server does not return is left out,
 * so the reason is never lost.
 */
export async function describeFailure(
  cluster: Cluster,
  home: Home,
  object: LiveObject,
  state: Exclude<Assessment, { state: 'done' }>,
  found: PodFailure | undefined,
): Promise<StepFailure> {
  const failure =
    found === undefined ? undefined : withCause(found, await podCause(cluster, found));
  const { pod, container, exitCode } = failure ?? {};
  const events = await Promise.all(
    [...(pod === undefined ? [] : [pod]), object].map(async (about) =>
      (await cluster.events(refOf(about)).catch(() => [])).filter(
        (event) => !isOfEarlierObject(event, about),
      ),
    ),
  );
  const warnings = events
    .flat()
    .filter(({ type, message }) => type === 'Warning' && !ECHOES.test(message))
    .sort((a, b) => (a.lastSeen < b.lastSeen ? -1 : 1));
  return {
    key: keyOf(object, home),
    reason: failureText(state, failure),
    ...omitUndefined({ pod: pod?.metadata.name, container, exitCode }),
    log: failure === undefined ? [] : await lastLines(cluster, failure),
    events: [...new Set(warnings.map(eventText))].slice(-EVENTS),
  };
}

async function lastLines(
  cluster: Cluster,
  { pod, container, previousRun = false }: PodFailure,
): Promise<readonly string[]> {
  if (container === undefined) return [];
  const of = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  for (const previous of previousRun ? [true, false] : [false, true]) {
    const text = await cluster
      .logs(of, { container, tail: LOG_LINES, previous })
      .catch(() => undefined);
    if (text !== undefined && text.trim() !== '') return relevantLines(text.trimEnd().split('\n'));
  }
  return [];
}
