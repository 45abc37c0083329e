import { omitUndefined } from '#core';
import { applySite, findRollback, statusNow, type ApplyOptions, type DeployResult } from '#rollout';
import type { RenderedSite } from '#site';
import { no, yes } from '../resources/conditions.ts';
import { failureLine, failureOf } from './last-failure.ts';
import { PROGRESS_MS, type Pass, type PassResult } from './pass.ts';
import { rollbackAllowed } from './rollback-allowed.ts';
import { serviceStates } from './service-states.ts';

/**
 * Applies objects to the site of a pass with the engine of `ccp deploy apply`. The next pass starts
 * at once: it decides from the records. Throws the errors of `applySite`.
 */
export async function applyRelease(
  pass: Pass,
  rendered: RenderedSite,
  choices: Partial<ApplyOptions>,
  verb: 'Applying' | 'RollingBack' | 'Repairing' | 'Contracting',
): Promise<PassResult> {
  const { context, site, key, signal, begin, resource } = pass;
  const { cluster, clock, by, run, process, report } = context;
  await begin(verb, choices.rollbackTo === undefined ? '' : `to revision ${choices.rollbackTo}`);
  const result = await applySite(cluster, site, rendered, {
    by,
    run,
    clock,
    ...omitUndefined({ process }),
    emit: (event) => report({ type: 'deploy', resource: key, event }),
    rules: site.rules,
    signal,
    ...choices,
  });
  note(pass, result, verb);
  const failure = failureOf(result) ?? resource.status?.lastFailure;
  const [status, rollback] = await Promise.all([
    statusNow(cluster, site, { rules: site.rules, clock }),
    rollbackAllowed(pass),
  ]);
  const text = failure === undefined ? '' : failureLine(failure);
  const isWell = result.state === 'good' || result.state === 'unchanged';
  return {
    outcome: `${verb} ${result.state}`,
    again: result.state === 'failed' ? 0 : isWell ? 0 : PROGRESS_MS,
    report: {
      revision: result.plan.revision,
      set: resource.spec.set.digest,
      services: serviceStates(status, rendered),
      rollback,
      ...omitUndefined({ lastFailure: failure }),
      verdicts: {
        Ready: isWell
          ? no('Verifying')
          : no(result.state === 'failed' ? 'Failed' : 'Cancelled', text),
        Reconciling: yes(verb, text),
        Stalled: no('Progressing'),
        UpgradeAvailable: no('Applied'),
      },
    },
  };
}

/** Rolls the site back to a revision that was good, after another one failed. */
export async function rollBack(pass: Pass, to: number, failed: number): Promise<PassResult> {
  const { context, site, key } = pass;
  const { record, rendered } = await findRollback(context.cluster, site, to);
  context.report({
    type: 'note',
    resource: key,
    reason: 'RollingBack',
    warning: true,
    message: `revision ${failed} failed and is rolled back to revision ${record.revision}`,
  });
  return await applyRelease(pass, rendered, { rollbackTo: record.revision }, 'RollingBack');
}

function note({ context, key }: Pass, result: DeployResult, verb: string): void {
  const failure = failureOf(result);
  if (result.state === 'unchanged' || result.state === 'cancelled') return;
  context.report({
    type: 'note',
    resource: key,
    reason: failure === undefined ? 'Applied' : 'Failed',
    warning: failure !== undefined,
    message:
      failure === undefined
        ? `revision ${result.plan.revision} is good (${verb})`
        : `revision ${result.plan.revision} failed: ${failureLine(failure)}`,
  });
}
