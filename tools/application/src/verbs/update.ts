import { CcpError, linearPattern, messageOf } from '#core';
import { applySite, findRollback } from '#rollout';
import type { ApplicationRecord, EarlierVersion } from '../record/record.ts';
import { dropSources, readOverrides, writeOverrides, writeSources } from '../record/store.ts';
import { withApplication, type Held } from '../session/change.ts';
import type { ApplicationEngine } from '../session/engine.ts';
import { change, runBusy, type Ended } from '../session/run-busy.ts';
import { deploy, siteToApply, type Applied, type ApplySteps } from './apply.ts';
import { checkKubernetes, type UploadedApplication } from './upload.ts';

/**
 * Replaces an applied application by another version. A failed update recovers the version before
 * by a rollback of the site; it stays `update-failed` if the tarball asks for that or the rollback
 * is impossible. Throws the errors of `withApplication`, `application-version` for a version that
 * the tarball cannot update, and the errors of `siteToApply`.
 */
export async function updateApplication(
  engine: ApplicationEngine,
  tarball: UploadedApplication,
  { reuseOverrides, ...steps }: ApplySteps & { readonly reuseOverrides?: boolean },
): Promise<Applied> {
  const { name, version } = tarball;
  return await withApplication(engine, name, 'update', async (held) => {
    const { record, cluster } = held;
    const stored = await readOverrides(cluster, name);
    // A run that was killed has recorded what it started from.
    const from = record.from ?? {
      version: record.version,
      revision: record.revision ?? 0,
      overrides: stored,
    };
    checkVersions(tarball, record, from.version);
    const sources = tarball.sources();
    await checkKubernetes(cluster, tarball);
    checkSite(record, steps.render(name, sources, {}).site, tarball);
    await writeSources(cluster, name, version, sources);
    const given =
      (reuseOverrides ?? tarball.keepsOverrides) ? stored : { system: stored.system, user: {} };
    const { revision } = from;
    const { site, overrides } = await siteToApply(held, given, steps, { version, revision });
    const busy = { state: 'updating', version, from, roles: site.roles } as const;
    let applied: Applied['result'];
    const after = await runBusy(engine, held, busy, async (signal, now) => {
      const ended = await failureOf(async () => {
        await writeOverrides(cluster, name, overrides);
        const deployed = await deploy(engine, site, now, steps, signal);
        applied = deployed.result;
        return deployed.ended;
      });
      if ('change' in ended || tarball.upgrades.staysFailed) return ended;
      return await recover(engine, held, { ...now, from }, ended.failed);
    });
    await dropSources(cluster, name, [after.version, ...(after.from ? [after.from.version] : [])]);
    return { record: after, ...(applied === undefined ? {} : { result: applied }) };
  });
}

/** The result of work whose errors are failures of the update. */
async function failureOf(work: () => Promise<Ended>): Promise<Ended> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof CcpError) return { failed: messageOf(thrown) };
    throw thrown;
  }
}

/** Rolls the site back to the revision before the update. */
async function recover(
  engine: ApplicationEngine,
  held: Held,
  record: ApplicationRecord & { readonly from: EarlierVersion },
  failed: string,
): Promise<Ended> {
  const { name, version, from, site = { name, namespace: name } } = record;
  const { cluster, note, ...run } = engine;
  note(`the update of ${name} to ${version} failed: ${failed}; ${name} recovers ${from.version}`);
  await change(engine, held, record, { state: 'recovering', reason: failed });
  const ended = await failureOf(async () => {
    const { revision: rollbackTo } = from;
    const { rendered } = await findRollback(cluster, site, rollbackTo);
    const { state, plan } = await applySite(cluster, site, rendered, { ...run, rollbackTo });
    if (state !== 'good' && state !== 'unchanged') return { failed: `the rollback ${state}` };
    await writeOverrides(held.cluster, name, from.overrides);
    return {
      change: {
        state: 'applied',
        version: from.version,
        revision: plan.revision,
        from: undefined,
        reason: `the update to ${version} failed and was rolled back: ${failed}`,
      },
    };
  });
  return 'change' in ended
    ? ended
    : { failed: `${failed}; ${from.version} cannot be recovered: ${ended.failed}` };
}

/** Throws `application-version` unless the tarball can update the version before. */
function checkVersions(
  { name, version, upgrades: { fromVersions } }: UploadedApplication,
  { state }: ApplicationRecord,
  from: string,
): void {
  const refuse = (message: string, hint: string): CcpError =>
    new CcpError({ code: 'application-version', message, hint });
  if (version === from && state === 'applied')
    throw refuse(
      `${name} ${version} is applied already`,
      'use a tarball with another version, or apply it again: ccp application apply',
    );
  if (fromVersions === undefined || fromVersions.some((pattern) => allows(pattern, from))) return;
  throw refuse(
    `${name} ${version} updates ${fromVersions.join(', ')}, but ${from} is applied`,
    'update to a version between them first',
  );
}

/** Whether a pattern of the metadata matches a whole version; false for one that may never end. */
function allows(pattern: string, version: string): boolean {
  try {
    return linearPattern(pattern).matches(version);
  } catch {
    return false;
  }
}

/** Throws `application-version` if the tarball deploys another site. */
function checkSite(
  { name, site }: ApplicationRecord,
  next: { readonly name: string; readonly namespace: string },
  { version }: UploadedApplication,
): void {
  if (site === undefined || (site.name === next.name && site.namespace === next.namespace)) return;
  throw new CcpError({
    code: 'application-version',
    message: `${name} ${version} deploys the site ${next.name} in ${next.namespace}, but ${site.name} in ${site.namespace} is applied`,
    hint: 'remove the application first, or export the tarball from the same site',
  });
}
