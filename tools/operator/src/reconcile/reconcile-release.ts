import { CcpError, codeOf, omitUndefined } from '#core';
import { imagesIn, makePlan, readNewest, readRecords } from '#rollout';
import { contentOf, renderedNamespaces } from '#site';
import { no, yes, type Verdicts } from '../resources/conditions.ts';
import { RETRY } from '../resources/kinds.ts';
import type { ManagedResource } from '../resources/types.ts';
import { applyRelease, rollBack } from './apply-release.ts';
import type { OperatorContext } from './context.ts';
import { decide, type Decision } from './decide.ts';
import { addFinalizer, deleteRelease } from './delete-release.ts';
import { failureLine, recordedFailure } from './last-failure.ts';
import { observeRelease } from './observe-release.ts';
import { PROGRESS_MS, RESYNC_MS, type Pass, type PassResult } from './pass.ts';
import { planHash, planSummary } from './plan-hash.ts';
import { siteRequest } from './read-site-text.ts';
import { refuseWrongSite } from './refuse-wrong-site.ts';
import { begun, impossible, kept, paused, refused, stalled } from './results.ts';
import { isTransient } from './transient.ts';
import { nextWindow } from './windows.ts';
import { writeStatus, type Report } from './write-status.ts';

/** The milliseconds until the next pass over a resource, and the outcome of this one. */
export interface Reconciled {
  readonly again: number;
  readonly outcome: string;
  /** Namespaces of the site's objects; absent if the site was not read. */
  readonly namespaces?: readonly string[];
}

/**
 * One pass over a resource: reads its site and set, decides from the records of the cluster, acts
 * with the engine of `ccp deploy`, and writes the status. A pass without a change only reads.
 * Throws errors after which a retry may help.
 */
export async function reconcileRelease(
  context: OperatorContext,
  given: ManagedResource,
  signal: AbortSignal,
): Promise<Reconciled> {
  const { clock, cluster } = context;
  let resource = given;
  const write = async (report: Report): Promise<boolean> => {
    const written = await writeStatus(cluster, resource, report, clock.now());
    if (written === 'stale') return false;
    resource = written;
    return true;
  };
  let namespaces: readonly string[] | undefined;
  const finish = async ({ report, again, outcome }: PassResult): Promise<Reconciled> => ({
    ...((await write(report)) ? { again, outcome } : { again: 0, outcome: 'Stale' }),
    ...omitUndefined({ namespaces }),
  });
  try {
    if (resource.metadata.deletionTimestamp !== undefined) {
      const report = await deleteRelease(context, resource, signal);
      return report === undefined
        ? { again: RESYNC_MS, outcome: 'Deleted' }
        : await finish({ report, again: RESYNC_MS, outcome: 'Deleting' });
    }
    if (resource.spec.paused === true) return await finish(paused(resource));
    const held = await addFinalizer(context, resource);
    if (held === undefined) return { again: 0, outcome: 'Stale' };
    resource = held;
    const pass = await openPass(context, resource, signal, async (reason, message) => {
      const { conditions: _, observedGeneration: __, ...rest } = resource.status ?? {};
      await write({ ...rest, verdicts: begun(reason, message) });
    });
    namespaces = renderedNamespaces(pass.site.rendered, pass.site);
    return await finish(await act(pass));
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || isTransient(thrown)) throw thrown;
    return await finish(refused(resource, thrown));
  }
}

async function openPass(
  context: OperatorContext,
  resource: ManagedResource,
  signal: AbortSignal,
  begin: Pass['begin'],
): Promise<Pass> {
  const { name, namespace = 'default' } = resource.metadata;
  const site = await context.source(await siteRequest(context.cluster, resource));
  refuseWrongSite(resource, site);
  const records = await readRecords(context.cluster, site);
  const key = `${resource.kind}/${namespace}/${name}`;
  return { context, resource, key, site, records, signal, begin };
}

async function act(pass: Pass): Promise<PassResult> {
  const { site, records, resource, context } = pass;
  const { rendered } = site;
  const { rollback = 'never' } = resource.spec;
  const retry = Number(resource.metadata.annotations?.[RETRY] ?? Number.NaN);
  const decision = decide(
    records,
    { content: contentOf(rendered), images: imagesIn(rendered), rollback, retry },
    context.clock.now(),
  );
  switch (decision.act) {
    case 'observe':
      return await observeRelease(
        pass,
        rendered,
        omitUndefined({ rollbackTo: records.at(-1)?.rollbackTo }),
      );
    case 'apply':
      return decision.continues
        ? await applyRelease(pass, rendered, {}, 'Applying')
        : await applyNew(pass);
    case 'rollback':
      try {
        return await rollBack(pass, decision.to, decision.failed);
      } catch (thrown) {
        if (codeOf(thrown) !== 'deploy-rollback-impossible') throw thrown;
        return impossible(pass, thrown as CcpError);
      }
    case 'hold':
      return await hold(pass, decision);
    case 'wait': {
      const failure = resource.status?.lastFailure ?? recordedFailure(decision.failed);
      const text = failure === undefined ? '' : failureLine(failure);
      return {
        outcome: 'Failed',
        again: Math.max(0, decision.until - context.clock.now()),
        report: {
          ...kept(resource),
          ...omitUndefined({ lastFailure: failure }),
          verdicts: stalled('Failed', `revision ${decision.failed.revision} failed: ${text}`),
        },
      };
    }
  }
}

/** Applies a release that has no record yet, if it is approved and a maintenance window is open. */
async function applyNew(pass: Pass): Promise<PassResult> {
  const { site, context, resource, records } = pass;
  const { approve = 'auto', approvedPlan, maintenance = [] } = resource.spec;
  const opens = records.length === 0 ? undefined : nextWindow(maintenance, context.clock.now());
  if (approve === 'auto' && opens === undefined)
    return await applyRelease(pass, site.rendered, {}, 'Applying');
  const plan = await makePlan(context.cluster, site, site.rendered, { rules: site.rules });
  const hash = planHash(plan);
  if (opens === undefined && approvedPlan === hash)
    return await applyRelease(pass, site.rendered, { approved: plan }, 'Applying');
  const summary = planSummary(plan);
  const waiting = {
    plan: { hash, summary },
    ...(opens === undefined ? {} : { nextMaintenance: new Date(opens).toISOString() }),
  };
  const upgrade =
    opens === undefined
      ? yes('ApprovalNeeded', `set spec.approvedPlan to ${hash}: ${summary}`)
      : yes(
          'MaintenanceWindow',
          `the next maintenance window opens at ${waiting.nextMaintenance}: ${summary}`,
        );
  const again = opens === undefined ? RESYNC_MS : opens - context.clock.now();
  if (records.length === 0)
    return {
      outcome: upgrade.reason,
      again,
      report: {
        ...waiting,
        verdicts: {
          Ready: no(upgrade.reason, upgrade.message),
          Reconciling: no(upgrade.reason),
          Stalled: no(upgrade.reason),
          UpgradeAvailable: upgrade,
        },
      },
    };
  const seen = await observeCurrent(pass, upgrade);
  return { ...seen, again: Math.min(seen.again, again), report: { ...seen.report, ...waiting } };
}

/** Keeps the rolled back site, and names the changes after which the failed release runs again. */
async function hold(
  pass: Pass,
  { failed, to }: Decision & { readonly act: 'hold' },
): Promise<PassResult> {
  const message = `revision ${failed.revision} was rolled back to revision ${to}; it is applied again when the set or the site changes, or with the annotation ${RETRY}=${failed.revision}`;
  const seen = await observeCurrent(pass, yes('RolledBack', message));
  const failure = pass.resource.status?.lastFailure ?? recordedFailure(failed);
  const text = failure === undefined ? '' : `; ${failureLine(failure)}`;
  return {
    ...seen,
    outcome: 'RolledBack',
    report: {
      ...seen.report,
      ...omitUndefined({ lastFailure: failure }),
      verdicts: {
        ...seen.report.verdicts,
        Ready: no('RolledBack', message + text),
        Stalled: yes('RolledBack', message + text),
      },
    },
  };
}

/** Observes the newest revision while another release waits. */
async function observeCurrent(
  pass: Pass,
  upgrade: Verdicts['UpgradeAvailable'],
): Promise<PassResult> {
  const { record, rendered } = await readNewest(pass.context.cluster, pass.site);
  if (record.state === 'good')
    return await observeRelease(pass, rendered, {
      ...omitUndefined({ rollbackTo: record.rollbackTo }),
      upgrade,
    });
  return {
    outcome: 'Failed',
    again: PROGRESS_MS,
    report: {
      ...kept(pass.resource),
      verdicts: {
        ...stalled('Failed', `revision ${record.revision} is ${record.state}`),
        UpgradeAvailable: upgrade,
      },
    },
  };
}
