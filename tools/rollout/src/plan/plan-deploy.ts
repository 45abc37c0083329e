import { omitUndefined } from '#core';
import type { KubernetesObject } from '#ports';
import { contentOf, keyOf, type RenderedSite, type Step } from '#site';
import type { LiveState, Preview } from '../live/live-state.ts';
import { contractedSince } from '../record/contracted.ts';
import { doneIn, hasJobs } from '../record/done-in.ts';
import { isOvertaken } from '../record/ledger.ts';
import { keptLedger, type DataFacts } from '../record/outdated-jobs.ts';
import { removedSchemas } from '../record/removed-schemas.ts';
import { unfinishedIn } from '../record/replacements.ts';
import { leavingOf } from './leaving.ts';
import { lostSecrets, withoutRuns } from './lost-secrets.ts';
import { refuseUnsafeScaleDown, membersAfter } from './refuse-unsafe-scale-down.ts';
import { planObject } from './plan-object.ts';
import { refuseMoveOfData } from './moves.ts';
import { planPrune } from './prune.ts';
import { tightenLast } from './tighten-last.ts';
import { rollsOf } from './rolls.ts';
import { schemaHops } from './schema-hops.ts';
import { seriesHop } from '../record/series-hop.ts';
import { stopForMigrations, stoppedBefore, suspendedBefore } from './stop-for-migrations.ts';
import { stopTogether } from './stop-together.ts';
import type { DeployPlan, PlannedObject, PlannedStep, SuspendedCronJob } from './types.ts';

export interface PlanInput {
  readonly site: { readonly name: string; readonly namespace: string };
  readonly rendered: RenderedSite;
  readonly live: LiveState;
  /** Runs the jobs of phase `contract`, after which a rollback is impossible. */
  readonly contract?: boolean;
  readonly rollbackTo?: number;
}

/** Plans an apply of the site from the live state. Pure. */
export function planDeploy({
  site,
  rendered,
  live: found,
  contract = false,
  rollbackTo,
}: PlanInput): DeployPlan {
  const lost = lostSecrets(rendered, found);
  const { outdated } = found;
  const again = new Set(outdated?.flatMap(({ jobs }) => jobs));
  const live = withoutRuns(found, [...(lost?.jobs ?? []), ...again]);
  const content = contentOf(rendered);
  const latest = live.records.at(-1);
  const newRevision = latest?.content !== content;
  const good = live.records.findLast(({ state }) => state === 'good');
  const deferred = (step: Step): string | undefined => {
    if (
      step.phase !== 'contract' ||
      contract ||
      good === undefined ||
      doneIn(step, live.ledger) !== undefined
    )
      return undefined;
    // It ran before: no rollback was possible any more.
    if (step.objects.some(({ metadata }) => again.has(metadata.name))) return undefined;
    return 'until the release is confirmed with --contract: a rollback is impossible after it';
  };
  const plan = (object: KubernetesObject, step?: Step) => {
    const key = keyOf(object, site);
    const done =
      step === undefined || object.kind !== 'Job' ? undefined : doneIn(step, live.ledger);
    const planned = planObject(object, {
      home: site,
      live: live.objects.get(key),
      preview: live.previews.get(key) ?? unasked(object),
      ...omitUndefined({ step: step?.id, done }),
      overtaken: isOvertaken(live.ledger, object.metadata.name),
      claims: live.claims.filter(
        ({ metadata }) => metadata.namespace === object.metadata.namespace,
      ),
    });
    return step === undefined
      ? planned
      : refuseMoveOfData(
          refuseUnsafeScaleDown(stopTogether(planned, live.objects.get(key), step), step, live),
          live,
        );
  };
  const running = rendered.steps.filter((step) => deferred(step) === undefined);
  const changes = [
    ...rendered.foundation.map((object) => tightenLast(plan(object), live)),
    ...running.flatMap((step) => step.objects.map((object) => plan(object, step))),
  ];
  const hops = schemaHops(rendered, live, changes);
  const objects = changes.map((planned) => stopForMigrations(planned, hops, live));
  const members = membersAfter(rendered.steps, objects, live);
  const rolls = rollsOf(objects, live.objects);
  const { prune, keep, superseded } = planPrune(
    rendered,
    live,
    new Set(rolls.map(({ key }) => key)),
    running,
  );
  const data: DataFacts = found.data ?? { home: site, ids: new Map(), replacements: new Map() };
  const ledger = keptLedger(rendered, found.ledger, data);
  const unknown = live.schemas?.filter(({ state }) => state === 'unknown') ?? [];
  const unfinished = unfinishedIn(data.replacements);
  const removed = removedSchemas(rendered, live.records, ledger);
  const steps = rendered.steps.map((step) =>
    planStep(step, {
      objects,
      live,
      superseded: [...(superseded.get(step.id) ?? []), ...stoppedBefore(step.id, hops, live)],
      suspends: suspendedBefore(step.id, hops, objects, live),
      putOff: deferred(step),
    }),
  );
  return {
    format: 1,
    site: site.name,
    namespace: site.namespace,
    cluster: live.cluster,
    content,
    revision: (latest?.revision ?? 0) + (newRevision ? 1 : 0),
    newRevision,
    ...omitUndefined({ rollbackTo }),
    work:
      newRevision ||
      latest.state !== 'good' ||
      prune.length > 0 ||
      objects.some(isChanged) ||
      steps.some(isOpen),
    objects,
    steps,
    rolls,
    ...omitUndefined({ lost, outdated }),
    ...(unknown.length === 0 ? {} : { unknownSchemas: unknown }),
    ...(unfinished.length === 0 ? {} : { unfinished }),
    ...(Object.keys(members).length === 0 ? {} : { members }),
    prune,
    keep,
    contracted: contractedSince(rendered, live.records, ledger),
    ...(removed.length === 0 ? {} : { removedSchemas: removed }),
    ...(hops.length === 0 ? {} : { schemaHops: hops }),
    ...omitUndefined({ seriesHop: seriesHop(good?.series, rendered.series) }),
    rendered,
  };
}

interface StepFacts {
  /** All objects of the plan. */
  readonly objects: readonly PlannedObject[];
  readonly live: LiveState;
  /** Objects that are deleted before the step starts. */
  readonly superseded: PlannedStep['supersedes'];
  readonly suspends: readonly SuspendedCronJob[];
  readonly putOff: string | undefined;
}

function planStep(
  step: Step,
  { objects, live, superseded, suspends, putOff }: StepFacts,
): PlannedStep {
  const { objects: members, leave: _, together: __, ...rest } = step;
  const [done, leaving] = [doneIn(step, live.ledger), leavingOf(step, objects, live.objects)];
  return {
    ...rest,
    objects: members.map((object) => keyOf(object, live.home)),
    supersedes: superseded,
    ...(suspends.length === 0 ? {} : { suspends }),
    ...omitUndefined({ doneIn: done, deferred: putOff, leaving }),
  };
}

function isChanged({ action, remade }: PlannedObject): boolean {
  return action !== 'unchanged' || remade !== undefined;
}

/** Whether a step has objects to delete, or a Job to run that is not postponed. */
function isOpen(step: PlannedStep): boolean {
  return (
    step.supersedes.length > 0 ||
    (step.deferred === undefined && step.doneIn === undefined && hasJobs(step))
  );
}

function unasked(object: KubernetesObject): Preview {
  return { desired: object, force: false, conflicts: [], answer: { outcome: 'unasked' } };
}
