import { applySite, type DeployResult, stepFailures } from '#rollout';
import { systemOverrides } from '../overrides/system-overrides.ts';
import { mergeOverrides } from '../overrides/merge-values.ts';
import { checkRoles } from '../hosts/check-roles.ts';
import { readNodes } from '../hosts/read-hosts.ts';
import type { ApplicationRecord, OverrideLayers } from '../record/record.ts';
import { dropSources, readOverrides, readSources, writeOverrides } from '../record/store.ts';
import { withApplication, type Held } from '../session/change.ts';
import type { ApplicationEngine, ApplicationSite, RenderApplication } from '../session/engine.ts';
import { runBusy, type Ended } from '../session/run-busy.ts';

/** Functions of the caller around an apply. */
export interface ApplySteps {
  readonly render: RenderApplication;
  /** Runs before the state changes, and may refuse the site. */
  readonly check: (site: ApplicationSite) => Promise<void>;
  /** Runs before the first change of the site. */
  readonly prepare: (site: ApplicationSite, record: ApplicationRecord) => Promise<void>;
  /** Runs after a good apply; its failure fails the apply. */
  readonly complete: (site: ApplicationSite, record: ApplicationRecord) => Promise<void>;
}

/** The record after a run, and the result of the deploy engine if it ran. */
export interface Applied {
  readonly record: ApplicationRecord;
  readonly result?: DeployResult;
}

/**
 * Deploys an uploaded application with its overrides, or deploys it again. Checks of hosts,
 * overrides and the site leave the state unchanged; later failures are recorded as `apply-failed`
 * with the reason. Throws the errors of `withApplication`, of the checks and of `applySite`.
 */
export async function applyApplication(
  engine: ApplicationEngine,
  name: string,
  steps: ApplySteps,
): Promise<Applied> {
  return await withApplication(engine, name, 'apply', async (held) => {
    const { record } = held;
    const stored = await readOverrides(held.cluster, name);
    const { site, overrides } = await siteToApply(held, stored, steps, record);
    let result: DeployResult | undefined;
    const busy = { state: 'applying', site: site.site, roles: site.roles } as const;
    const after = await runBusy(engine, held, busy, async (signal, now) => {
      await writeOverrides(held.cluster, name, overrides);
      const applied = await deploy(engine, site, now, steps, signal);
      result = applied.result;
      return applied.ended;
    });
    if (after.from === undefined) await dropSources(held.cluster, name, [after.version]);
    return { record: after, ...(result === undefined ? {} : { result }) };
  });
}

/**
 * The site of a version with its overrides, of which those of the system are computed. Throws
 * `application-roles`, the errors of rendering and of the caller's check.
 */
export async function siteToApply(
  { cluster, record: { name } }: Held,
  { system: before, user }: OverrideLayers,
  { render, check }: Pick<ApplySteps, 'render' | 'check'>,
  { version, revision }: { readonly version: string; readonly revision?: number },
): Promise<{ readonly site: ApplicationSite; readonly overrides: OverrideLayers }> {
  const sources = await readSources(cluster, name, version);
  const plain = render(name, sources, user);
  const nodes = await readNodes(cluster);
  checkRoles(plain, nodes);
  const isDeployed = revision !== undefined;
  const system = systemOverrides(plain, nodes, { before, isDeployed });
  const site = render(name, sources, mergeOverrides(system, user));
  await check(site);
  return { site, overrides: { system, user } };
}

/** Applies a site and completes it. Throws the errors of `applySite` and of the caller's steps. */
export async function deploy(
  engine: ApplicationEngine,
  site: ApplicationSite,
  record: ApplicationRecord,
  { prepare, complete }: Pick<ApplySteps, 'prepare' | 'complete'>,
  signal: AbortSignal,
): Promise<{ readonly ended: Ended; readonly result: DeployResult }> {
  await prepare(site, record);
  const { cluster, note: _, ...run } = engine;
  const result = await applySite(cluster, site.site, site.rendered, {
    ...run,
    rules: site.rules,
    signal,
  });
  const failed = failureOf(result, engine.by);
  if (failed !== undefined) return { ended: { failed }, result };
  await complete(site, record);
  const { revision } = result.plan;
  return { ended: { change: { state: 'applied', revision, from: undefined } }, result };
}

/** Why an apply failed, as one clause; undefined if it is good. */
function failureOf(result: DeployResult, by: string): string | undefined {
  if (result.state === 'cancelled') return `cancelled by ${by}`;
  if (result.state !== 'failed') return undefined;
  const [first] = [...result.failures, ...stepFailures(result.steps)];
  const revision = `revision ${result.plan.revision} failed`;
  return first === undefined ? revision : `${revision}: ${first.key} ${first.reason}`;
}
