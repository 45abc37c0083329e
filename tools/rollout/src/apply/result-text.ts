import type { ActionResult } from '../actions/run-as-job.ts';
import { unusedFlagLines } from '../plan/flag-rules.ts';
import type { StepFailure } from '../session/step-failure.ts';
import type { DeployResult } from './apply-plan.ts';

/**
 * The text of an apply result: each failure with its container, output, events and the steps that
 * it blocks, then a summary line.
 */
export function resultLines(result: DeployResult): string[] {
  const { steps, failures, plan, state, notPruned, away } = result;
  const failedSteps = [...steps].flatMap(([id, outcome]) =>
    outcome.state === 'failed' ? outcome.failures.map((failure) => ({ id, failure })) : [],
  );
  const cancelled = [...steps].flatMap(([id, outcome]) =>
    outcome.state === 'cancelled' ? [id] : [],
  );
  const lines = [
    ...failures.flatMap((failure) => failureLines(failure, [])),
    ...failedSteps.flatMap(({ id, failure }) => failureLines(failure, heldBackBy(id, result))),
    ...[...steps].flatMap(([id, outcome]) =>
      outcome.state === 'blocked'
        ? [`  ${id} did not run: it waits for ${outcome.by.join(', ')}`]
        : [],
    ),
    ...(cancelled.length === 0
      ? []
      : [`  cancelled before they finished: ${cancelled.join(', ')}`]),
    ...[...steps].flatMap(([id, outcome]) =>
      outcome.state === 'deferred' ? [`  ${id} is postponed ${outcome.reason}`] : [],
    ),
    ...(notPruned === undefined ? [] : [`  nothing was pruned: ${notPruned}`]),
    ...unusedFlagLines(plan),
    ...away.map(
      ({ instance, seconds, expected }) =>
        `  ${instance} was away for ${Math.round(seconds)} s; the plan expected about ${expected} s`,
    ),
  ];
  const done = [...steps.values()].filter((outcome) => outcome.state === 'done').length;
  return [
    ...lines,
    `${plan.site}: revision ${plan.revision} ${STATES[state]}, ${done} of ${steps.size} steps done`,
  ];
}

const STATES = {
  unchanged: 'is already applied and healthy; nothing was written',
  good: 'is good',
  failed: 'failed',
  cancelled: 'was cancelled; run the command again to continue',
} as const;

/** The text of the checks after an apply: each failure, then a line for each check. */
export function checkLines(results: readonly ActionResult[]): string[] {
  const said = { good: 'is good', failed: 'failed', running: 'is still running' } as const;
  return [
    ...results.flatMap(({ failure }) => (failure === undefined ? [] : failureLines(failure, []))),
    ...results.map(({ run }) => `check ${run.action} ${said[run.state]}`),
  ];
}

/**
 * The text of one failure: object, reason, last output of the container, warnings, and the steps
 * that wait for it.
 */
export function failureLines(
  { key, reason, container, log, events }: StepFailure,
  heldBack: readonly string[],
): string[] {
  return [
    `x ${key} ${reason}`,
    ...(log.length === 0
      ? []
      : [`    last output of "${container}":`, ...log.map((line) => `      | ${line}`)]),
    ...(events.length === 0 ? [] : ['    events:', ...events.map((line) => `      ${line}`)]),
    ...(heldBack.length === 0 ? [] : [`    blocks ${heldBack.join(', ')}`]),
  ];
}

/** Steps that wait for a step directly or through others. */
function heldBackBy(id: string, { plan, steps }: DeployResult): string[] {
  const held = new Set<string>([id]);
  for (const step of plan.steps)
    if (step.waitsFor.some((before) => held.has(before)) && steps.get(step.id)?.state === 'blocked')
      held.add(step.id);
  held.delete(id);
  return [...held];
}
