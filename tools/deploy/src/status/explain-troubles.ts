import type { Cluster, LiveObject } from '#ports';
import { each } from '../live/each.ts';
import { keyOf, refOf, type ObjectKey } from '../live/object-key.ts';
import type { RenderedSite } from '../types.ts';
import { assess } from '../wait/assess.ts';
import { eventText, isOlder } from '../wait/event-text.ts';
import { podCause, withCause } from '../wait/pod-cause.ts';
import { podTrouble, type PodTrouble } from '../wait/pod-trouble.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/** What keeps a workload from being well: its worst pod with the cause, or why it gets no pods. */
export interface ExplainedTrouble {
  readonly trouble?: PodTrouble;
  /** A clause: `FailedCreate: ... exceeded quota`. */
  readonly lacks?: string;
}

/** Kinds whose status does not say why no pod is made; their events do. */
const SILENT = new Set(['StatefulSet', 'DaemonSet', 'Job']);

const CALLS = 8;

/** Asks for what is behind the state of each workload that is not as it should be. Reads only; nothing of those that are well. */
export async function explainTroubles(
  cluster: Cluster,
  { steps }: Pick<RenderedSite, 'steps'>,
  watch: Pick<SiteWatch, 'object' | 'podsOf'>,
): Promise<ReadonlyMap<ObjectKey, ExplainedTrouble>> {
  const unwell = steps
    .flatMap(({ objects }) => objects)
    .flatMap((object) => watch.object(keyOf(object)) ?? [])
    .filter((live) => assess(live).state !== 'done');
  return new Map(await each(unwell, CALLS, async (live) => [keyOf(live), await explained(cluster, live, watch)] as const));
}

async function explained(cluster: Cluster, live: LiveObject, watch: Pick<SiteWatch, 'podsOf'>): Promise<ExplainedTrouble> {
  const [trouble] = watch
    .podsOf(live)
    .flatMap((pod) => podTrouble(pod) ?? [])
    .sort((a, b) => a.patience - b.patience);
  if (trouble !== undefined) return { trouble: withCause(trouble, await podCause(cluster, trouble)) };
  if (!SILENT.has(live.kind)) return {};
  const events = await cluster.events(refOf(live)).catch(() => []);
  const failed = events.findLast((event) => event.reason === 'FailedCreate' && !isOlder(event, live));
  return failed === undefined ? {} : { lacks: eventText(failed) };
}
