import { CcpError, throwFindings } from '#core';
import type { DeployPlan, PlannedObject } from './types.ts';

/** Raises all that stands against a plan, before any write: `deploy-older` for a release whose schema is gone, `deploy-conflict` for each field of another manager, `deploy-refused` for each object the server does not accept. */
export function checkPlan(plan: DeployPlan): void {
  const older = plan.contracted.map(({ step, instance, revision, last }) => new CcpError({
    code: 'deploy-older',
    message: `${instance} of revision ${last} cannot come back: ${step} of revision ${revision} has taken away what it needs in its schema`,
    hint: 'apply a newer image set, or restore a backup of the database together with that revision',
  }));
  throwFindings(older.concat(plan.objects.filter(({ action }) => action === 'refused').flatMap(findingsOf)));
}

function findingsOf({ key, reason, conflicts }: PlannedObject): CcpError[] {
  const open = conflicts.filter(({ policy }) => policy === 'fail');
  if (open.length === 0) return [new CcpError({ code: 'deploy-refused', message: `${key} cannot be applied: ${reason ?? 'the server gives no reason'}`, hint: 'mend the app spec or the site' })];
  return open.map(({ manager, field }) => {
    const name = `${key}:${field.replace(/^\./, '')}`;
    return new CcpError({ code: 'deploy-conflict', message: `${manager} has set ${field} of ${key} to another value`, hint: `take it over with --take '${name}', or leave it to ${manager} with --leave '${name}'` });
  });
}

/**
 * Raises `deploy-plan-stale` where a plan that was approved is not what would be done now. What it planned and is done already is
 * no difference: a plan may be applied again after a run that was killed.
 */
export function checkApproved(approved: DeployPlan, now: DeployPlan): void {
  const stale = (what: string): CcpError =>
    new CcpError({ code: 'deploy-plan-stale', message: `the plan does not fit the cluster any more: ${what}`, hint: 'make it again: ccp deploy plan' });
  if (approved.cluster !== now.cluster) throw stale(`it was made for ${approved.cluster}, this is ${now.cluster}`);
  if (approved.content !== now.content) throw stale('the site is rendered to other objects now');
  const planned = new Map(approved.objects.map((object) => [object.key, object]));
  const differing = now.objects.filter((object) => object.action !== 'unchanged' && meaning(planned.get(object.key)) !== meaning(object)).map(({ key }) => key);
  const pruned = new Set([...approved.prune, ...approved.steps.flatMap(({ supersedes }) => supersedes), ...approved.keep].map(({ key }) => key));
  const more = [...now.prune, ...now.steps.flatMap(({ supersedes }) => supersedes)].map(({ key }) => key).filter((key) => !pruned.has(key));
  const all = [...differing, ...more];
  if (all.length > 0) throw stale(`${all.slice(0, 5).join(', ')}${all.length > 5 ? ` and ${all.length - 5} more` : ''} changed since`);
}

function meaning(object: PlannedObject | undefined): string {
  return JSON.stringify([object?.action, object?.changes, object?.uid, object?.conflicts, object?.force]);
}
