import { CcpError, nearest } from '#core';
import type { Cluster } from '#ports';
import { readHost, requireLocked } from '../hosts/read-hosts.ts';
import type {
  ApplicationRecord,
  ChartValues,
  Overrides,
  OverrideLayers,
} from '../record/record.ts';
import { readOverrides, readSources, writeOverrides } from '../record/store.ts';
import { findRecord, underLock } from '../session/change.ts';
import type { ApplicationEngine, RenderApplication } from '../session/engine.ts';
import { isBusy } from '../states.ts';
import { mergeOverrides, mergeValues, valuePaths } from './merge-values.ts';

/** A change of the user overrides of a chart. */
export interface OverrideChange {
  readonly chart: string;
  readonly values: ChartValues;
  /** Whether the values before are dropped. */
  readonly reset: boolean;
  /** The one host that the values are for. */
  readonly host?: string;
}

/** The overrides of a chart by layer, and the layer of each value. */
export interface ChartOverrides {
  readonly chart: string;
  readonly system: ChartValues;
  readonly user: ChartValues;
  readonly combined: ChartValues;
  /** Path of a value -> its layer. */
  readonly layers: Readonly<Record<string, 'system' | 'user'>>;
}

/** The overrides of each chart of an application. Throws `application-missing`. */
export async function listOverrides(
  cluster: Cluster,
  name: string,
  render: RenderApplication,
): Promise<readonly ChartOverrides[]> {
  const record = await findRecord(cluster, name);
  const charts = await chartsOf(cluster, record, render);
  const layers = await readOverrides(cluster, name);
  return charts.map((chart) => overridesOf(layers, chart));
}

/** The overrides of a chart. Throws `application-missing` and `application-chart`. */
export async function showOverrides(
  cluster: Cluster,
  name: string,
  chart: string,
  render: RenderApplication,
): Promise<ChartOverrides> {
  const all = await listOverrides(cluster, name, render);
  checkChart(
    name,
    chart,
    all.map((each) => each.chart),
  );
  return all.find((each) => each.chart === chart)!;
}

/**
 * Changes the user overrides of a chart; the next apply uses them. Nothing changes if the site does
 * not accept them. Overrides for one host need that host to be locked once the application is
 * deployed. Throws `application-missing`, `application-chart`, `host-missing`, `host-unlocked`,
 * `deploy-locked`, and `application-overrides`.
 */
export async function updateOverrides(
  engine: ApplicationEngine,
  name: string,
  change: OverrideChange,
  render: RenderApplication,
): Promise<ChartOverrides> {
  const { chart, values, reset, host } = change;
  return await changeUser(engine, name, render, async (record, user, cluster) => {
    const found = host === undefined ? undefined : await readHost(cluster, host);
    if (found !== undefined && record.revision !== undefined)
      requireLocked(found, `an override for one host`);
    const added = host === undefined ? values : valuesForHost(host, values);
    return { chart, values: mergeValues(reset ? {} : (user[chart] ?? {}), added) };
  });
}

/** Deletes the user overrides of a chart. Throws as `updateOverrides`. */
export async function deleteOverrides(
  engine: ApplicationEngine,
  name: string,
  chart: string,
  render: RenderApplication,
): Promise<ChartOverrides> {
  return await changeUser(engine, name, render, async () => ({ chart, values: {} }));
}

async function changeUser(
  engine: ApplicationEngine,
  name: string,
  render: RenderApplication,
  next: (
    record: ApplicationRecord,
    user: Overrides,
    cluster: Cluster,
  ) => Promise<{ readonly chart: string; readonly values: ChartValues }>,
): Promise<ChartOverrides> {
  await findRecord(engine.cluster, name);
  return await underLock(engine, name, async (cluster) => {
    const record = await findRecord(cluster, name);
    if (isBusy(record.state))
      throw new CcpError({
        code: 'application-state',
        message: `${name} was left ${record.state}: its overrides cannot change`,
        hint: `continue it, or end it: ccp application abort ${name}`,
      });
    const before = await readOverrides(cluster, name);
    const { chart, values } = await next(record, before.user, cluster);
    checkChart(name, chart, await chartsOf(cluster, record, render));
    const { [chart]: _, ...others } = before.user;
    const user = Object.keys(values).length === 0 ? others : { ...others, [chart]: values };
    const layers = { ...before, user };
    const sources = await readSources(cluster, name, record.version);
    render(name, sources, mergeOverrides(layers.system, user));
    await writeOverrides(cluster, name, layers);
    return overridesOf(layers, chart);
  });
}

async function chartsOf(
  cluster: Pick<Cluster, 'list'>,
  { name, version }: ApplicationRecord,
  render: RenderApplication,
): Promise<readonly string[]> {
  return render(name, await readSources(cluster, name, version), {}).charts;
}

function checkChart(name: string, chart: string, charts: readonly string[]): void {
  if (charts.includes(chart)) return;
  const meant = nearest(chart, charts);
  throw new CcpError({
    code: 'application-chart',
    message: `${name} has no chart ${chart} that accepts overrides`,
    hint: meant === undefined ? `charts: ${charts.join(', ')}` : `did you mean "${meant}"?`,
  });
}

function overridesOf({ system, user }: OverrideLayers, chart: string): ChartOverrides {
  const [below, above] = [system[chart] ?? {}, user[chart] ?? {}];
  const combined = mergeValues(below, above);
  const ofUser = valuePaths(above);
  const layers = Object.fromEntries(
    [...valuePaths(combined).keys()].map((path) => [path, ofUser.has(path) ? 'user' : 'system']),
  ) as ChartOverrides['layers'];
  return { chart, system: below, user: above, combined, layers };
}

/** Values for one host: a group of nodes of the site with that host alone. */
function valuesForHost(host: string, values: ChartValues): ChartValues {
  const group = host.replaceAll('.', '-');
  return { nodes: { [group]: { labels: [`kubernetes.io/hostname=${host}`], ...values } } };
}
