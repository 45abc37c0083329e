import type { Clock, Cluster } from '#ports';
import { keyOf, type ObjectKey } from '#site';
import { doneIn } from '../record/done-in.ts';
import { readLedger } from '../record/ledger-store.ts';
import type { Emit, StepOutcome } from '../session/events.ts';
import type { SiteName } from '../session/site-name.ts';
import { plainFailure } from '../session/step-failure.ts';
import type { OpenStatus } from '../status/open-status.ts';
import type { Scaled } from '../status/scaled-by-others.ts';
import { countText } from '../wait/assessment.ts';
import { waitFor } from '../wait/wait-for.ts';
import { runSteps } from './run-steps.ts';

/** Waits until every step of the newest revision is done or has failed. Writes nothing. */
export async function waitSite(
  cluster: Cluster,
  site: SiteName,
  open: OpenStatus,
  {
    clock,
    emit,
    signal,
  }: { readonly clock: Clock; readonly emit: Emit; readonly signal: AbortSignal },
): Promise<ReadonlyMap<string, StepOutcome>> {
  const ledger = await readLedger(cluster, site);
  const byId = new Map(open.rendered.steps.map((step) => [step.id, step]));
  const steps = open.rendered.steps.map((step) => {
    const putOff =
      step.phase === 'contract' &&
      open.record.state === 'good' &&
      doneIn(step, ledger) === undefined;
    return {
      ...step,
      objects: step.objects.map((object) => keyOf(object, site)),
      supersedes: [],
      ...(putOff ? { deferred: 'until the release is confirmed with --contract' } : {}),
    };
  });
  const run = async ({ id }: { readonly id: string }): Promise<StepOutcome> => {
    emit({ type: 'step-started', step: id });
    if (doneIn(byId.get(id)!, ledger) !== undefined) return { state: 'done' };
    const objects = byId
      .get(id)!
      .objects.filter(
        ({ kind, metadata }) =>
          !open.watch.unread.has(kind) && (kind !== 'Job' || ledger[metadata.name] === undefined),
      );
    const waited = await Promise.all(
      objects.map(async (object) => {
        const key = keyOf(object, site);
        const live = open.watch.object(key);
        if (live === undefined)
          return plainFailure(
            key,
            open.record.state === 'good'
              ? 'does not exist: someone else deleted it'
              : 'does not exist: the run that creates it has not reached it',
          );
        return await waitFor(live, {
          cluster,
          home: site,
          watch: open.watch,
          clock,
          signal,
          progress: (reason) => emit({ type: 'step-waits', step: id, key, reason }),
        });
      }),
    );
    const scaledByOthers = waited.includes(undefined)
      ? await open.scaled()
      : new Map<ObjectKey, Scaled>();
    const ended = waited.map((each, index) => {
      const key = keyOf(objects[index]!, site);
      const scaled = each === undefined ? scaledByOthers.get(key) : undefined;
      return scaled === undefined
        ? each
        : plainFailure(
            key,
            `does not match its revision: ${scaled.reason}, but ${countText(scaled.wanted, 'pod')} wanted`,
          );
    });
    if (ended.includes('cancelled')) return { state: 'cancelled' };
    const failures = ended.filter((each) => each !== undefined && each !== 'cancelled');
    return failures.length === 0 ? { state: 'done' } : { state: 'failed', failures };
  };
  return await runSteps(steps, run, {
    limit: steps.length,
    signal,
    ended: (step, outcome) => emit({ type: 'step-ended', step: step.id, outcome }),
  });
}
