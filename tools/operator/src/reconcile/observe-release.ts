import { omitUndefined } from '#core';
import { driftOf, makePlan, statusNow, type ConflictRule, type SiteStatus } from '#rollout';
import type { RenderedSite } from '#site';
import { no, yes, type Verdicts } from '../resources/conditions.ts';
import { durationMs } from '../resources/durations.ts';
import { CONFIRM_CONTRACT } from '../resources/kinds.ts';
import { applyRelease } from './apply-release.ts';
import { readChildren } from './children.ts';
import { PROGRESS_MS, RESYNC_MS, type Pass, type PassResult } from './pass.ts';
import { rollbackAllowed } from './rollback-allowed.ts';
import { serviceStates } from './service-states.ts';
import { nextWindow } from './windows.ts';

/**
 * Looks at the newest revision, which is good: repairs or shows objects that were changed or
 * deleted, and contracts database schemas when that is due. Without a change it only reads.
 */
export async function observeRelease(
  pass: Pass,
  rendered: RenderedSite,
  {
    rollbackTo,
    upgrade = no('UpToDate'),
  }: { readonly rollbackTo?: number; readonly upgrade?: Verdicts['UpgradeAvailable'] } = {},
): Promise<PassResult> {
  const { context, site, resource, key } = pass;
  const { cluster, clock } = context;
  const status = await statusNow(cluster, site, { rules: site.rules, clock });
  if (status.ages.length > 0) context.report({ type: 'ages', resource: key, ages: status.ages });
  const differing = changedObjects(status);
  const showsOnly = resource.spec.drift === 'show';
  if (differing.length > 0) {
    context.report({ type: 'drift', resource: key, objects: differing });
    if (!showsOnly) {
      const repair = await repairRules(pass, rendered, rollbackTo);
      if (repair !== undefined)
        return await applyRelease(
          pass,
          rendered,
          { rules: [...repair, ...site.rules], ...omitUndefined({ rollbackTo }) },
          'Repairing',
        );
    }
  }
  const contract = contractDue(pass, status);
  if (contract.isDue) return await applyRelease(pass, rendered, { contract: true }, 'Contracting');
  const isMoving = status.steps.some(({ state }) => state === 'progressing' || state === 'waiting');
  const again = Math.min(
    status.well ? RESYNC_MS : PROGRESS_MS,
    contract.at === undefined ? Infinity : Math.max(0, contract.at - clock.now()),
  );
  const { lastFailure } = resource.status ?? {};
  const children = await readChildren(pass);
  return {
    outcome: status.well ? 'Ready' : isMoving ? 'Progressing' : 'Degraded',
    again,
    report: {
      revision: status.record.revision,
      set: resource.spec.set.digest,
      services: serviceStates(status, rendered),
      ...(children.length === 0 ? {} : { children }),
      rollback: await rollbackAllowed(pass),
      // A failure stays until a later revision is good.
      ...(lastFailure !== undefined && upgrade.status === 'True' ? { lastFailure } : {}),
      verdicts: { ...readiness(status, differing, isMoving), UpgradeAvailable: upgrade },
    },
  };
}

function readiness(
  status: SiteStatus,
  differing: readonly string[],
  isMoving: boolean,
): Omit<Verdicts, 'UpgradeAvailable'> {
  const Stalled = no('UpToDate');
  if (status.well)
    return {
      Ready: yes('Healthy', `revision ${status.record.revision} is good`),
      Reconciling: no('UpToDate'),
      Stalled,
    };
  const bad = status.steps
    .filter(({ state }) => !['done', 'deferred'].includes(state))
    .map(({ id, reason }) => `${id}: ${reason}`);
  const checks = status.checks
    .filter(({ run }) => run?.state === 'failed')
    .map(({ id }) => `check ${id} failed`);
  const message = [
    ...(differing.length === 0 ? [] : [`changed by others: ${differing.slice(0, 5).join(', ')}`]),
    ...bad.slice(0, 5),
    ...checks.slice(0, 5),
  ].join('; ');
  if (isMoving)
    return { Ready: no('Progressing', message), Reconciling: yes('Progressing', message), Stalled };
  const reason = differing.length > 0 ? 'Drifted' : 'Unhealthy';
  return { Ready: no(reason, message), Reconciling: no(reason), Stalled };
}

/** Objects and steps that an apply would write again. */
function changedObjects({ drift, missing, steps }: SiteStatus): readonly string[] {
  return [
    ...drift.map(({ key }) => key),
    ...missing.map(({ kind, name }) => `${kind}/${name}`),
    ...steps.filter(({ state }) => state === 'missing' || state === 'failed').map(({ id }) => id),
  ];
}

/**
 * Rules that take the fields which other managers have set; `undefined` if an apply has nothing to
 * do, as for pods that only crash. The site's own rules come later and win.
 */
async function repairRules(
  { context: { cluster }, site }: Pass,
  rendered: RenderedSite,
  rollbackTo: number | undefined,
): Promise<readonly ConflictRule[] | undefined> {
  const plan = await makePlan(cluster, site, rendered, {
    rules: site.rules,
    ...omitUndefined({ rollbackTo }),
  });
  const rules = plan.objects.flatMap((object) =>
    [...object.conflicts.filter(({ policy }) => policy === 'fail'), ...driftOf(object)].map(
      ({ field }) => ({
        object: object.key,
        field: field.replace(/^\./, ''),
        policy: 'take' as const,
        why: 'the operator repairs drift',
      }),
    ),
  );
  return plan.work || rules.length > 0 ? rules : undefined;
}

/**
 * Whether postponed contracts run now, or the time at which they do: when the policy's time is
 * over, in a maintenance window. A confirmation does not wait for a window.
 */
function contractDue(
  { resource, context }: Pass,
  { steps, record, well }: SiteStatus,
): { readonly isDue: boolean; readonly at?: number } {
  if (!well || !steps.some(({ state }) => state === 'deferred')) return { isDue: false };
  const { contract = 'manual', contractAfter = '0s', maintenance = [] } = resource.spec;
  if (resource.metadata.annotations?.[CONFIRM_CONTRACT] === String(record.revision))
    return { isDue: true };
  if (contract === 'manual') return { isDue: false };
  const now = context.clock.now();
  const over = Date.parse(record.endedAt ?? record.startedAt) + durationMs(contractAfter);
  const at = nextWindow(maintenance, Math.max(over, now)) ?? over;
  return now >= at ? { isDue: true } : { isDue: false, at };
}
