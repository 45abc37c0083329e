import { messageOf, redact } from '#core';
import type { Cluster } from '#ports';
import { keyOf, refOf, renderedNamespaces } from '#site';
import { each } from '../live/each.ts';
import { readLive } from '../live/read-live.ts';
import { withoutManagedFields } from '../live/without-managed-fields.ts';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import type { SiteName } from '../session/site-name.ts';
import type { Pod } from '../wait/pod.ts';
import type { OpenStatus } from './open-status.ts';
import { statusLines } from './status-text.ts';

export interface SupportFile {
  readonly path: string;
  readonly text: string;
}

const LINES = 2000;
const CALLS = 8;

/**
 * The files of a support bundle: status, drift, history, ledger, objects, and output and events of
 * every pod. Secrets are not read; environments have only references to them. An error of the
 * cluster is written to the file it concerns.
 */
export async function supportFiles(
  cluster: Cluster,
  site: SiteName,
  open: OpenStatus,
): Promise<SupportFile[]> {
  const [status, live, pods, plan, version] = await Promise.all([
    open.now(),
    readLive(cluster, site, { foundation: [], steps: [], secrets: [], actions: [] }),
    each(renderedNamespaces(open.rendered, site), CALLS, (namespace) =>
      cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace }),
    ),
    makePlan(cluster, site, open.rendered),
    cluster.version(),
  ]);
  const files: SupportFile[] = [
    { path: 'status.txt', text: `${statusLines(status).join('\n')}\n` },
    { path: 'drift.txt', text: `${deployPlanLines(plan, { additions: true }).join('\n')}\n` },
    { path: 'cluster.json', text: json({ name: cluster.name, version }) },
    { path: 'history.json', text: json(live.records) },
    { path: 'ledger.json', text: json(live.ledger) },
    { path: 'claims.json', text: json(live.claims) },
    ...[...live.objects].map(([key, object]) => ({
      path: `objects/${key}.json`,
      text: json(withoutManagedFields(object)),
    })),
  ];
  const ofPods = await each(
    pods.flatMap(({ items }) => items as readonly Pod[]),
    CALLS,
    (pod) => podFiles(cluster, site, pod),
  );
  return [...files, ...ofPods.flat()].map(({ path, text }) => ({ path, text: redact(text) }));
}

/** The files of one pod: object, events, and the last two runs' output of each container. */
async function podFiles(cluster: Cluster, site: SiteName, pod: Pod): Promise<SupportFile[]> {
  const { name, namespace = '' } = pod.metadata;
  const folder = keyOf(pod, site).replace(/^Pod/, 'pods');
  const events = await cluster.events(refOf(pod)).catch((error: unknown) => messageOf(error));
  const files: SupportFile[] = [
    { path: `${folder}/pod.json`, text: json(withoutManagedFields(pod)) },
    { path: `${folder}/events.json`, text: json(events) },
  ];
  for (const { name: container } of pod.spec.containers ?? [])
    for (const previous of [false, true]) {
      const text = await cluster
        .logs({ namespace, name }, { container, previous, tail: LINES })
        .catch((error: unknown) => messageOf(error));
      const path = `${folder}/${container}${previous ? '.previous' : ''}.log`;
      if (text !== undefined) files.push({ path, text });
    }
  return files;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 1)}\n`;
}
