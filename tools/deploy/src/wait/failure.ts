import type { Cluster, LiveObject } from '#ports';
import { keyOf, refOf, type ObjectKey } from '../live/object-key.ts';
import type { Assessment } from './assessment.ts';
import { eventText, isOlder } from './event-text.ts';
import { podCause, withCause } from './pod-cause.ts';
import type { PodTrouble } from './pod-trouble.ts';
import { tellingLines } from './telling-lines.ts';
import { troubleText } from './trouble-text.ts';

/** Why an object will not become what was asked for, with all that helps to mend it. */
export interface StepFailure {
  readonly key: ObjectKey;
  /** A clause that follows the object's name. */
  readonly reason: string;
  readonly pod?: string;
  readonly container?: string;
  readonly exitCode?: number;
  /** Of the container's output the last lines, and those before that tell why; with marks where lines are left out. */
  readonly log: readonly string[];
  /** Latest warnings about the pod and the object. */
  readonly events: readonly string[];
}

/** Lines of output that are looked through. */
const LOG_LINES = 300;
const EVENTS = 5;
/** Events in which kubelet only repeats that an image cannot be pulled; another one has the cause. */
const ECHOES = /^(Error: (ErrImagePull|ImagePullBackOff)$|Back-off pulling image)/;

/** Gathers output and events of what failed. What the server does not give is left out: the reason must not get lost over it. */
export async function describeFailure(
  cluster: Cluster,
  object: LiveObject,
  state: Exclude<Assessment, { state: 'done' }>,
  found: PodTrouble | undefined,
): Promise<StepFailure> {
  const trouble = found === undefined ? undefined : withCause(found, await podCause(cluster, found));
  const { pod, container, exitCode } = trouble ?? {};
  const told = await Promise.all(
    [...(pod === undefined ? [] : [pod]), object].map(async (about) =>
      (await cluster.events(refOf(about)).catch(() => [])).filter((event) => !isOlder(event, about)),
    ),
  );
  const warnings = told
    .flat()
    .filter(({ type, message }) => type === 'Warning' && !ECHOES.test(message))
    .sort((a, b) => (a.lastSeen < b.lastSeen ? -1 : 1));
  return {
    key: keyOf(object),
    reason: troubleText(state, trouble),
    ...(pod === undefined ? {} : { pod: pod.metadata.name }),
    ...(container === undefined ? {} : { container }),
    ...(exitCode === undefined ? {} : { exitCode }),
    log: trouble === undefined ? [] : await lastLines(cluster, trouble),
    events: [...new Set(warnings.map(eventText))].slice(-EVENTS),
  };
}

/** A failure that is known without looking at pods. */
export function plainFailure(key: ObjectKey, reason: string): StepFailure {
  return { key, reason, log: [], events: [] };
}

async function lastLines(cluster: Cluster, { pod, container, previousRun = false }: PodTrouble): Promise<readonly string[]> {
  if (container === undefined) return [];
  const of = { namespace: pod.metadata.namespace ?? '', name: pod.metadata.name };
  for (const previous of previousRun ? [true, false] : [false, true]) {
    const text = await cluster.logs(of, { container, tail: LOG_LINES, previous }).catch(() => undefined);
    if (text !== undefined && text.trim() !== '') return tellingLines(text.trimEnd().split('\n'));
  }
  return [];
}
