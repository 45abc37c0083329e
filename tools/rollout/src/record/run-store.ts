import { CcpError, isRecord, parseJson } from '#core';
import type { Cluster } from '#ports';
import { FIELD_MANAGER, type ObjectKey, type ParameterValues, type RenderedAction } from '#site';
import type { SiteName } from '../session/site-name.ts';
import { RUN, wrongMember } from './record-shape.ts';
import { changedNothing } from './replacements.ts';

/**
 * One run of an action or a check. `running` without a Job is a run that was killed before it
 * created one.
 */
export interface ActionRun {
  readonly format: 1;
  readonly run: number;
  /** Id of the action. */
  readonly action: string;
  readonly kind: RenderedAction['kind'];
  readonly parameters: ParameterValues;
  /** Revision of the site whose image and configuration it uses. */
  readonly revision: number;
  readonly job: string;
  readonly state: 'running' | 'good' | 'failed';
  /** RFC 3339. */
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly by: string;
  /** The StatefulSet whose data its action replaces. */
  readonly replaces?: ObjectKey;
  /** Why it failed. */
  readonly reason?: string;
  /** A failed run of an action that replaces data may have replaced a part of it. */
  readonly incomplete?: true;
  /** Newest migrations of each database, as its container has reported them. */
  readonly schemas?: Readonly<Record<string, readonly string[]>>;
}

/**
 * Maximum runs kept, besides the last replacement of each StatefulSet's data: the ledger refers to
 * it. A ConfigMap is limited to 1 MiB, a run is about 400 bytes.
 */
const MOST = 200;
const TRIES = 20;

/**
 * The runs of a site's actions and checks, oldest first. Throws `deploy-record-invalid` if they
 * cannot be parsed.
 */
export async function readRuns(cluster: Cluster, site: SiteName): Promise<readonly ActionRun[]> {
  return parseRuns(site, await cluster.get(refOf(site)));
}

/** Enters the run that `change` returns, by optimistic locking; resolves with that run. */
export async function changeRuns(
  cluster: Cluster,
  site: SiteName,
  change: (runs: readonly ActionRun[]) => ActionRun,
): Promise<ActionRun> {
  for (let tries = 0; tries < TRIES; tries++) {
    const live = await cluster.get(refOf(site));
    const runs = parseRuns(site, live);
    const changed = change(runs);
    const all = keptRuns([...runs.filter(({ run }) => run !== changed.run), changed]);
    const { name, namespace } = refOf(site);
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace,
        labels: { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' },
      },
      data: Object.fromEntries(
        all.map((run) => [String(run.run).padStart(6, '0'), JSON.stringify(run)]),
      ),
    };
    if (live === undefined) {
      if ((await cluster.create(object, { fieldManager: FIELD_MANAGER })).outcome === 'created')
        return changed;
    } else {
      const { managedFields: _, ...metadata } = live.metadata;
      if (
        (await cluster.update({ ...object, metadata }, { fieldManager: FIELD_MANAGER })).outcome ===
        'updated'
      )
        return changed;
    }
  }
  throw new CcpError({
    code: 'deploy-busy',
    message: `the action run of ${site.name} was not recorded, because other runs of this site were recorded at the same time`,
    hint: 'wait until the other runs have ended, then run the command again',
  });
}

function keptRuns(runs: readonly ActionRun[]): readonly ActionRun[] {
  const sorted = [...runs].sort((a, b) => a.run - b.run);
  const last = new Map(
    sorted.flatMap((run) =>
      run.replaces === undefined || changedNothing(run) ? [] : [[run.replaces, run]],
    ),
  );
  const replacements = new Set(last.values());
  return sorted.filter((run, index) => index >= sorted.length - MOST || replacements.has(run));
}

/** Name of the ConfigMap with the runs of a site. */
function runsName(site: Pick<SiteName, 'name'>): string {
  return `ccp-${site.name}-runs`;
}

function refOf(site: SiteName): {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
} {
  return { apiVersion: 'v1', kind: 'ConfigMap', name: runsName(site), namespace: site.namespace };
}

function parseFormat(text: string): ActionRun {
  const value = parseJson(text);
  const format = isRecord(value) ? value['format'] : undefined;
  if (format !== 1)
    throw new TypeError(`a run has format ${JSON.stringify(format)}, this tool reads format 1`);
  const wrong = wrongMember(value, RUN);
  if (wrong !== undefined) throw new TypeError(`a run is invalid: ${wrong}`);
  return value as unknown as ActionRun;
}

function parseRuns(site: SiteName, live: object | undefined): ActionRun[] {
  const data = ((live as { readonly data?: unknown } | undefined)?.data ?? {}) as Readonly<
    Record<string, string>
  >;
  try {
    const runs = Object.values(data).map((text) => parseFormat(text));
    return runs.sort((a, b) => a.run - b.run);
  } catch (error) {
    throw new CcpError({
      code: 'deploy-record-invalid',
      message: `the ConfigMap ${runsName(site)} does not contain action runs: ${(error as Error).message}`,
      hint: 'use a newer version of ccp, or delete the ConfigMap',
      cause: error,
    });
  }
}
