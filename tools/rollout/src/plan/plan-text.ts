import { counted, type Json } from '#core';
import { additionsLines, additionText, driftOf } from './additions.ts';
import type { FieldChange } from './field-changes.ts';
import { unusedFlagLines } from './flag-rules.ts';
import { removedSchemaText } from '../record/removed-schemas.ts';
import { leavingText } from './leaving.ts';
import { schemaStateText } from '../record/schema-states.ts';
import { schemaHopText } from './schema-hops.ts';
import { seriesHopText } from '../record/series-hop.ts';
import type {
  DeployPlan,
  LostSecrets,
  PlannedObject,
  PrunedObject,
  RemadeClaim,
  Roll,
} from './types.ts';

const SIGNS = { create: '+', update: '~', replace: '!', refused: 'x', unchanged: ' ' } as const;
const LONGEST = 60;
/** Characters shown before the first that differs. */
const CONTEXT = 20;

/**
 * The text of a plan: changes, field conflicts, replaced pods with reasons, removed and kept
 * objects. Other managers' additions are one line, or are listed with `additions`.
 */
export function deployPlanLines(
  plan: DeployPlan,
  { additions = false }: { readonly additions?: boolean } = {},
): string[] {
  const isShown = ({ added = [] }: PlannedObject): boolean => additions && added.length > 0;
  const changed = plan.objects.filter(
    (object) =>
      object.action !== 'unchanged' ||
      object.reason?.startsWith('ran') === false ||
      object.conflicts.length > 0 ||
      isShown(object),
  );
  const unchanged = plan.objects.length - changed.length;
  const supersedes = supersededIn(plan);
  const leaving = plan.steps.flatMap(({ leaving: each }) =>
    each === undefined ? [] : [`  ! ${leavingText(each)}`],
  );
  const deferred = plan.steps.flatMap(({ id, deferred: why }) =>
    why === undefined ? [] : [`  = ${id} is postponed ${why}`],
  );
  return [
    `${plan.site} in ${plan.namespace} on ${plan.cluster}, revision ${plan.revision}${plan.newRevision ? ' (new)' : ''}${plan.rollbackTo === undefined ? '' : `, rollback to ${plan.rollbackTo}`}`,
    ...(plan.seriesHop === undefined ? [] : [`  = ${seriesHopText(plan.seriesHop)}`]),
    ...(plan.unknownSchemas ?? []).map((schema) => `  ! ${schemaStateText(schema)}`),
    ...(plan.unfinished ?? []).map(({ text }) => `  x ${text}`),
    ...plan.contracted.map(
      ({ step, instance, revision, last }) =>
        `  x ${instance} of revision ${last} cannot be applied again: ${step} of revision ${revision} has removed parts of its database schema`,
    ),
    ...(plan.removedSchemas ?? []).map((removed) => `  x ${removedSchemaText(removed)}`),
    ...(plan.schemaHops ?? []).map(
      (hop) => `  ${hop.compatible ? '=' : '!'} ${schemaHopText(hop)}`,
    ),
    ...changed.flatMap((object) => [...objectLines(object), ...additionLines(object, additions)]),
    ...(additions ? [] : additionsLines(plan.site, plan.objects)),
    ...plan.rolls.flatMap((roll) => [
      `  ${roll.key} ${rollText(roll)}:`,
      ...roll.why.map((line) => `      ${line}`),
    ]),
    ...leaving,
    ...(plan.shortages ?? []).map((text) => `  ! ${text}`),
    ...plan.objects.flatMap(({ remade = [] }) => remade).map(remadeLine),
    ...(plan.lost === undefined ? [] : lostLines(plan.lost)),
    ...(plan.outdated ?? []).map(
      ({ reason, jobs }) =>
        `  ! ${counted(jobs.length, 'Job')} ${jobs.length === 1 ? 'runs' : 'run'} again: ${reason}`,
    ),
    ...[...supersedes, ...plan.prune].map(({ key, reason }) => `  - ${key} ${reason}`),
    ...plan.keep.map(({ key, reason }) => `  = ${key} stays: ${reason}`),
    ...deferred,
    ...unusedFlagLines(plan),
    summaryOf(plan, unchanged),
  ];
}

/** Objects that a step deletes and that no step creates again. */
function supersededIn({ steps, objects }: DeployPlan): PrunedObject[] {
  const replaced = new Set(
    objects.filter(({ action }) => action === 'replace').map(({ key }) => key),
  );
  return steps.flatMap(({ supersedes }) => supersedes).filter(({ key }) => !replaced.has(key));
}

/** How the pods of a workload are replaced. */
export function rollText({ pods, together }: Roll): string {
  if (pods === 0) return 'has no pods to replace; new pods use the changed template';
  const how = together === undefined ? 'one after the other' : 'all at once';
  return `replaces its ${counted(pods, 'pod')}${pods === 1 ? '' : `, ${how}`}`;
}

function remadeLine({ name, pod, asked, reason }: RemadeClaim): string {
  return `  ! PersistentVolumeClaim/${name} is created again with ${asked}, and Pod/${pod} with it: ${reason}`;
}

function lostLines({ names, pods }: LostSecrets): string[] {
  const start =
    pods.length === 0
      ? ''
      : `, and ${pods.map(({ name }) => `Pod/${name}`).join(', ')} restart${pods.length === 1 ? 's' : ''}`;
  return [
    ...names.map((name) => `  ! Secret/${name} is missing and is created again`),
    `      the Jobs that used it run again${start}`,
  ];
}

function objectLines({ key, action, reason, changes, conflicts }: PlannedObject): string[] {
  const shown = changes.filter(({ path }) => !path.startsWith('spec.template.spec.volumes['));
  return [
    `  ${SIGNS[action]} ${key}${reason === undefined ? '' : ` ${reason}`}`,
    ...(action === 'create' ? [] : shown.map((change) => `      ${changeText(change)}`)),
    ...conflicts.map(
      ({ manager, field, policy, why }) =>
        `      ${field} is owned by ${manager}: ${POLICIES[policy]}${why === undefined ? '' : ` (${why})`}`,
    ),
  ];
}

/** Other managers' additions: all of them, or only the removed ones. */
function additionLines({ added = [] }: PlannedObject, all: boolean): string[] {
  return added
    .filter(({ policy }) => all || policy === 'take')
    .map((each) => `      ${additionText(each)}`);
}

const POLICIES = {
  fail: 'nothing is applied until --take or --leave names it',
  take: 'ccp takes ownership',
  leave: 'left to that manager',
} as const;

/** The text of one field change; of long values only the part that differs. */
export function changeText({ path, before, after }: FieldChange): string {
  if (before === undefined) return `${path}: ${short(textOf(after))} is added`;
  if (after === undefined) return `${path}: ${short(textOf(before))} is removed`;
  const [was, is] = [textOf(before), textOf(after)];
  const differing = [...was].findIndex((character, index) => character !== is[index]);
  const from =
    Math.max(was.length, is.length) <= LONGEST
      ? 0
      : Math.max(0, (differing < 0 ? was.length : differing) - CONTEXT);
  return `${path}: ${short(was, from)} -> ${short(is, from)}`;
}

function textOf(value: Json | undefined): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).replaceAll(
    /@sha256:([0-9a-f]{12})[0-9a-f]*/g,
    '@$1',
  );
}

function short(text: string, from = 0): string {
  const rest = `${from === 0 ? '' : '...'}${text.slice(from)}`;
  return rest.length <= LONGEST ? rest : `${rest.slice(0, LONGEST)}...`;
}

function summaryOf(plan: DeployPlan, unchanged: number): string {
  const drifted = plan.objects.some((object) => driftOf(object).length > 0);
  if (!plan.work)
    return `nothing to do: ${unchanged} objects are up to date${drifted ? ', except for fields that other managers added' : ''}`;
  const of = (action: PlannedObject['action']): number =>
    plan.objects.filter((object) => object.action === action).length;
  const pruned = plan.prune.length + supersededIn(plan).length;
  const replaced =
    of('replace') + plan.objects.reduce((sum, { remade = [] }) => sum + remade.length, 0);
  const parts = [
    `${of('create')} to create`,
    `${of('update')} to update`,
    `${replaced} to replace`,
    `${pruned} to prune`,
    `${unchanged} unchanged`,
  ];
  return [...parts, ...(of('refused') === 0 ? [] : [`${of('refused')} refused`])].join(', ');
}
