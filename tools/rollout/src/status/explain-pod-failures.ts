import type { Cluster, LiveObject } from '#ports';
import { keyOf, refOf, type Home, type ObjectKey, type RenderedSite } from '#site';
import { each } from '../live/each.ts';
import { assess } from '../wait/assess.ts';
import { eventText, isOfEarlierObject } from '../wait/event-text.ts';
import { podCause, withCause } from '../wait/pod-cause.ts';
import { podFailure } from '../wait/find-pod-failure.ts';
import type { PodFailure } from '../wait/pod-failure.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/** Why a workload is not healthy: its worst pod with the cause, or why it gets no pods. */
export interface ExplainedFailure {
  readonly failure?: PodFailure;
  /** A clause: `FailedCreate: ... exceeded quota`. */
  readonly lacks?: string;
}

/** Kinds whose status does not state why no pod is created; their events do. */
const SILENT = new Set(['StatefulSet', 'DaemonSet', 'Job']);

const CALLS = 8;

/** Reads the cause of failure of each workload that is not done. Reads only. */
export async function explainPodFailures(
  cluster: Cluster,
  home: Home,
  { steps }: Pick<RenderedSite, 'steps'>,
  watch: Pick<SiteWatch, 'object' | 'podsOf'>,
): Promise<ReadonlyMap<ObjectKey, ExplainedFailure>> {
  const unwell = steps
    .flatMap(({ objects }) => objects)
    .flatMap((object) => watch.object(keyOf(object, home)) ?? [])
    .filter((live) => assess(live).state !== 'done');
  return new Map(
    await each(
      unwell,
      CALLS,
      async (live) => [keyOf(live, home), await explained(cluster, live, watch)] as const,
    ),
  );
}

async function explained(
  cluster: Cluster,
  live: LiveObject,
  watch: Pick<SiteWatch, 'podsOf'>,
): Promise<ExplainedFailure> {
  const [failure] = watch
    .podsOf(live)
    .flatMap((pod) => podFailure(pod) ?? [])
    .sort((a, b) => a.timeoutSeconds - b.timeoutSeconds);
  if (failure !== undefined)
    return { failure: withCause(failure, await podCause(cluster, failure)) };
  if (!SILENT.has(live.kind)) return {};
  const events = await cluster.events(refOf(live)).catch(() => []);
  const failed = events.findLast(
    (event) => event.reason === 'FailedCreate' && !isOfEarlierObject(event, live),
  );
  return failed === undefined ? {} : { lacks: eventText(failed) };
}
