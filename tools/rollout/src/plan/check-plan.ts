import { CcpError, counted, shortLines, shortList, throwFindings } from '#core';
import { againText } from '../record/replacements.ts';
import { removedSchemaText } from '../record/removed-schemas.ts';
import { changeText } from './plan-text.ts';
import type { DeployPlan, PlannedObject } from './types.ts';

/** Maximum number of changes or objects in a message. */
const MOST = 5;

const OLDER =
  'apply a newer image set, or restore a backup from before the upgrade with --stay-stopped and then roll back';

/**
 * Throws every reason the plan cannot be applied, before any write: `deploy-data-incomplete` while
 * an action may have replaced only a part of the data, `deploy-older` for a release whose database
 * schema was contracted or migrated destructively, `deploy-conflict` for each field of another
 * manager, `deploy-refused` for each object that the server does not accept, and one error for all
 * objects of another site.
 */
export function checkPlan(plan: DeployPlan): void {
  const unfinished = (plan.unfinished ?? []).map(
    (each) =>
      new CcpError({
        code: 'deploy-data-incomplete',
        message: `the site cannot be applied: ${each.text}`,
        hint: `run the action again, with the same parameters or with another backup: ${againText(plan.site, each)}`,
      }),
  );
  const older = plan.contracted.map(
    ({ step, instance, revision, last }) =>
      new CcpError({
        code: 'deploy-older',
        message: `${instance} of revision ${last} cannot be applied again: ${step} of revision ${revision} has removed parts of the database schema that it needs`,
        hint: OLDER,
      }),
  );
  const outdated = (plan.removedSchemas ?? []).map(
    (removed) =>
      new CcpError({
        code: 'deploy-older',
        message: removedSchemaText(removed),
        hint: OLDER,
      }),
  );
  const refused = plan.objects.filter(({ action }) => action === 'refused');
  throwFindings([
    ...unfinished,
    ...older,
    ...outdated,
    ...takenFindings(plan, refused),
    ...refused.filter(({ ofSite }) => ofSite === undefined).flatMap(findingsOf),
  ]);
}

function takenFindings(
  { site, namespace }: DeployPlan,
  refused: readonly PlannedObject[],
): CcpError[] {
  const owners = [...new Set(refused.flatMap(({ ofSite }) => ofSite ?? []))];
  return owners.map((owner) => {
    const keys = refused.filter(({ ofSite }) => ofSite === owner).map(({ key }) => key);
    const belong = `${counted(keys.length, 'object')} of ${site} in ${namespace} ${keys.length === 1 ? 'belongs' : 'belong'}`;
    return new CcpError({
      code: 'deploy-refused',
      message: `${belong} to the site ${owner}: ${shortList(keys, MOST)}`,
      hint: `set another namespace for ${site}, or rename its apps`,
    });
  });
}

function findingsOf({ key, reason, remedy, conflicts }: PlannedObject): CcpError[] {
  const open = conflicts.filter(({ policy }) => policy === 'fail');
  if (open.length === 0)
    return [
      new CcpError({
        code: 'deploy-refused',
        message: `${key} cannot be applied: ${reason ?? 'the API server gave no reason'}`,
        hint: remedy ?? 'fix the app spec or the site',
      }),
    ];
  return open.map(({ manager, field }) => {
    const name = `${key}:${field.replace(/^\./, '')}`;
    return new CcpError({
      code: 'deploy-conflict',
      message: `${manager} has set ${field} of ${key} to another value`,
      hint: `take ownership of it with --take '${name}', or leave it to ${manager} with --leave '${name}'`,
    });
  });
}

/**
 * Throws `deploy-plan-stale` with every change since, if the approved plan differs from the current
 * one. Work that the approved plan has already done is not a difference: a plan can be applied
 * again after a killed run.
 */
export function checkApproved(approved: DeployPlan, now: DeployPlan): void {
  const stale = (...what: readonly string[]): CcpError => stalePlan(approved.site, what);
  if (approved.cluster !== now.cluster)
    throw stale(`it was made for the cluster ${approved.cluster}, but this is ${now.cluster}`);
  if (approved.content !== now.content) throw stale('the site now renders different objects');
  const planned = new Map(approved.objects.map((object) => [object.key, object]));
  const differing = now.objects
    .filter(
      (object) =>
        (object.action !== 'unchanged' || object.remade !== undefined) &&
        meaning(planned.get(object.key)) !== meaning(object),
    )
    .map((object) => sinceText(planned.get(object.key), object));
  const pruned = new Set(
    [
      ...approved.prune,
      ...approved.steps.flatMap(({ supersedes }) => supersedes),
      ...approved.keep,
    ].map(({ key }) => key),
  );
  const more = [...now.prune, ...now.steps.flatMap(({ supersedes }) => supersedes)]
    .filter(({ key }) => !pruned.has(key))
    .map(({ key }) => `${key} was added to the site`);
  const all = [...differing, ...more];
  const applied =
    now.newRevision && now.revision > approved.revision
      ? [`revision ${now.revision - 1} was applied`]
      : [];
  if (all.length > 0) throw stale(...applied, ...shortLines(all, MOST, 'object'));
}

/** The error for a plan that is out of date, with the changes since it was made. */
export function stalePlan(site: string, changes: readonly string[]): CcpError {
  return new CcpError({
    code: 'deploy-plan-stale',
    message: [
      'the plan is out of date; since it was made:',
      ...changes.map((change) => `  ${change}`),
    ].join('\n'),
    hint: `make the plan again and review it: ccp deploy plan ${site} -o FILE`,
  });
}

/** The change of an object since it was planned, as far as the two plans show it. */
function sinceText(
  planned: PlannedObject | undefined,
  { key, action, conflicts, changes }: PlannedObject,
): string {
  const known = new Set(planned?.conflicts.map(conflictText));
  const set = conflicts.filter((conflict) => !known.has(conflictText(conflict)));
  if (set.length > 0)
    return `${set.map(({ manager, field }) => `${manager} has set ${field}`).join(', ')} of ${key}`;
  if (action === 'create' && planned !== undefined) return `${key} was deleted`;
  const before = new Set(planned?.changes.map((change) => JSON.stringify(change)));
  const added = changes
    .filter((change) => !before.has(JSON.stringify(change)))
    .slice(0, MOST)
    .map(changeText);
  return `${key} was changed${added.length === 0 ? '' : `; apply would revert: ${added.join('; ')}`}`;
}

function conflictText({ manager, field }: PlannedObject['conflicts'][number]): string {
  return `${manager} ${field}`;
}

function meaning(object: PlannedObject | undefined): string {
  return JSON.stringify([
    object?.action,
    object?.changes,
    object?.uid,
    object?.conflicts,
    object?.force,
    object?.remade,
  ]);
}
