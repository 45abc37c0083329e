import { messageOf, redact } from '#core';
import type { Cluster } from '#ports';
import { refOf } from '#site';
import { each } from '../live/each.ts';
import { readLive } from '../live/read-live.ts';
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
  const json = (value: unknown): string => `${JSON.stringify(value, undefined, 1)}\n`;
  const [status, live, pods, plan, version] = await Promise.all([
    open.now(),
    readLive(cluster, site, { foundation: [], steps: [], secrets: [], actions: [] }),
    cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: site.namespace }),
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
      text: json({ ...object, metadata: { ...object.metadata, managedFields: undefined } }),
    })),
  ];
  const ofPods = await each(
    pods.items as readonly Pod[],
    CALLS,
    async (pod): Promise<SupportFile[]> => {
      const folder = `pods/${pod.metadata.name}`;
      const events = await cluster.events(refOf(pod)).catch((error: unknown) => messageOf(error));
      const names = (pod.spec.containers ?? []).map(({ name }) => name);
      const logs = await each(
        names.flatMap((container) => [
          { container, previous: false },
          { container, previous: true },
        ]),
        1,
        async (options) => {
          const text = await cluster
            .logs(
              { namespace: site.namespace, name: pod.metadata.name },
              { ...options, tail: LINES },
            )
            .catch((error: unknown) => messageOf(error));
          return text === undefined
            ? []
            : [
                {
                  path: `${folder}/${options.container}${options.previous ? '.previous' : ''}.log`,
                  text,
                },
              ];
        },
      );
      return [
        {
          path: `${folder}/pod.json`,
          text: json({ ...pod, metadata: { ...pod.metadata, managedFields: undefined } }),
        },
        { path: `${folder}/events.json`, text: json(events) },
        ...logs.flat(),
      ];
    },
  );
  return [...files, ...ofPods.flat()].map(({ path, text }) => ({ path, text: redact(text) }));
}
