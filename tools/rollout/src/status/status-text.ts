import { counted } from '#core';
import { againText } from '../record/replacements.ts';
import { countText } from '../wait/assessment.ts';
import { ageLine } from './action-ages.ts';
import { isFit, schemaStateText } from '../record/schema-states.ts';
import { missingText } from './missing-objects.ts';
import { setAsideText } from './set-aside.ts';
import type { SiteStatus, StepStatus } from './site-status.ts';

const SIGNS: Readonly<Record<StepStatus['state'], string>> = {
  done: '✓',
  progressing: '…',
  failed: 'x',
  waiting: '·',
  missing: '?',
  deferred: '=',
};

const CHECK_SIGNS = { good: '✓', running: '…', failed: 'x' } as const;

/**
 * A status as text: the revision, then each instance with its steps and their reasons to wait. With
 * `brief`, steps that are done are only counted.
 */
export function statusLines(
  status: SiteStatus,
  { brief = false }: { readonly brief?: boolean } = {},
): string[] {
  const { site, namespace, cluster, record, holder, steps: all, checks } = status;
  const steps = brief ? all.filter(({ state }) => state !== 'done') : all;
  const width = Math.max(0, ...steps.map(({ id }) => id.length));
  const instances = [...new Set(steps.map(({ instance }) => instance ?? ''))];
  const done = all.length - steps.length;
  return [
    `${site} in ${namespace} on ${cluster}: revision ${record.revision}, ${recordText(record)}, by ${record.by}`,
    ...holderLines(site, record, holder),
    ...(done === 0 ? [] : [`  ✓ ${counted(done, 'step')} done`]),
    ...instances.flatMap((instance) =>
      steps
        .filter((step) => (step.instance ?? '') === instance)
        .map((step) => stepLine(step, width)),
    ),
    ...status.unfinished.map(
      (each) => `  x ${each.text}: run it again with ${againText(site, each)}`,
    ),
    ...schemaLines(status.schemas),
    ...status.ages.map(ageLine),
    ...checks.map(checkLine),
    ...objectLines(status),
    ...status.shortages.map((text) => `  ! ${text}`),
    ...status.setAside.map((folder) => `  = ${setAsideText(folder, site)}`),
    status.well ? 'the site is healthy' : problemSummary(status),
  ];
}

/** All reasons why a site is not healthy. */
function problemSummary(status: SiteStatus): string {
  const { steps, checks, missing, drift, unfinished, schemas } = status;
  const unfit = schemas.filter((schema) => !isFit(schema)).length;
  const open = steps.filter((step) => !isOver(step)).length;
  const fields = drift.reduce((sum, object) => sum + object.fields, 0);
  const checksFailed = checks.some(({ run }) => run?.state === 'failed');
  return [
    ...(open === 0 ? [] : [`${open} of ${steps.length} steps are not done`]),
    ...(missing.length === 0 ? [] : [`${countText(missing.length, 'object')} missing`]),
    ...(fields === 0 ? [] : [`${fields === 1 ? '1 field differs' : `${fields} fields differ`}`]),
    ...(unfinished.length === 0 ? [] : ['data may be incomplete']),
    ...(unfit === 0 ? [] : [`${counted(unfit, 'schema')} of another release`]),
    ...(checksFailed && open === 0 ? ['a check has failed'] : []),
  ].join(', ');
}

/** A line for all databases with the migrations of the release, and one for each other one. */
function schemaLines(schemas: SiteStatus['schemas']): string[] {
  const current = schemas.filter(({ state }) => state === 'current').length;
  return [
    ...(current === 0
      ? []
      : [`  ✓ ${counted(current, 'database')} with all migrations of the release`]),
    ...schemas
      .filter(({ state }) => state !== 'current')
      .map((schema) => `  ${isFit(schema) ? '=' : 'x'} ${schemaStateText(schema)}`),
  ];
}

/** Objects named in the line about drift. */
const NAMED = 5;

/** The lines about objects that are missing, differ or were not read. */
function objectLines({ site, record, missing, drift, unread }: SiteStatus): string[] {
  const fields = drift.reduce((sum, object) => sum + object.fields, 0);
  const named = drift.slice(0, NAMED).map(({ key }) => key);
  const more = drift.length > NAMED ? ` and ${drift.length - NAMED} more` : '';
  const differ = fields === 1 ? 'differs' : 'differ';
  return [
    ...missing.map((object) => `  ? ${missingText(object)}`),
    ...(drift.length === 0
      ? []
      : [
          `  ~ ${counted(fields, 'field')} of ${named.join(', ')}${more} ${differ} from revision ${record.revision}: ccp deploy diff ${site}`,
        ]),
    ...(unread.length === 0
      ? []
      : [`  · not checked, because this account may not list them: ${unread.join(', ')}`]),
  ];
}

function checkLine({ id, run }: SiteStatus['checks'][number]): string {
  if (run === undefined) return `  · check ${id}  has not run yet`;
  const reason = run.reason === undefined ? '' : `: ${run.reason}`;
  return `  ${CHECK_SIGNS[run.state]} check ${id}  ${run.state} at ${run.endedAt ?? run.startedAt}${reason}`;
}

function recordText({ state, startedAt, endedAt }: SiteStatus['record']): string {
  switch (state) {
    case 'good':
      return `good since ${endedAt}`;
    case 'failed':
      return `failed at ${endedAt}`;
    case 'running':
      return `started at ${startedAt} and not finished`;
  }
}

/** The run that holds the lock, or a line about an interrupted run. */
function holderLines(
  site: string,
  { state }: SiteStatus['record'],
  holder: SiteStatus['holder'],
): string[] {
  if (holder !== undefined)
    return [`  ${holder.name} holds the lock, renewed at ${holder.renewedAt}`];
  return state === 'running'
    ? [
        `  the run was interrupted: continue with ccp deploy apply ${site}, or go back with ccp deploy rollback ${site}`,
      ]
    : [];
}

function stepLine({ id, state, reason, pods }: StepStatus, width: number): string {
  const ready = pods === undefined ? '' : `${pods.ready}/${pods.wanted} pods`;
  return `  ${SIGNS[state]} ${id.padEnd(width)}  ${ready.padEnd('99/99 pods'.length)}  ${reason}`.trimEnd();
}

function isOver({ state }: StepStatus): boolean {
  return state === 'done' || state === 'deferred';
}
