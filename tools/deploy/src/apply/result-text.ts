import type { ActionResult } from '../actions/run-action.ts';
import { idleLines } from '../plan/flag-rules.ts';
import type { StepFailure } from '../wait/failure.ts';
import type { DeployResult } from './apply-plan.ts';

/** What came of an apply, for people: each failure with its container, output, events and what it held back, then one line. */
export function resultLines(result: DeployResult): string[] {
  const { steps, failures, plan, state, notPruned } = result;
  const failedSteps = [...steps].flatMap(([id, outcome]) => (outcome.state === 'failed' ? outcome.failures.map((failure) => ({ id, failure })) : []));
  const cancelled = [...steps].flatMap(([id, outcome]) => (outcome.state === 'cancelled' ? [id] : []));
  const lines = [
    ...failures.flatMap((failure) => failureLines(failure, [])),
    ...failedSteps.flatMap(({ id, failure }) => failureLines(failure, heldBackBy(id, result))),
    ...[...steps].flatMap(([id, outcome]) => (outcome.state === 'blocked' ? [`  ${id} did not run: it waits for ${outcome.by.join(', ')}`] : [])),
    ...(cancelled.length === 0 ? [] : [`  cancelled before their end: ${cancelled.join(', ')}`]),
    ...[...steps].flatMap(([id, outcome]) => (outcome.state === 'deferred' ? [`  ${id} is put off ${outcome.reason}`] : [])),
    ...(notPruned === undefined ? [] : [`  nothing was pruned: ${notPruned}`]),
    ...idleLines(plan),
  ];
  const done = [...steps.values()].filter((outcome) => outcome.state === 'done').length;
  return [...lines, `${plan.site}: revision ${plan.revision} ${STATES[state]}, ${done} of ${steps.size} steps done`];
}

const STATES = {
  unchanged: 'is there and well, nothing was written',
  good: 'is good',
  failed: 'failed',
  cancelled: 'was cancelled; run it again to go on',
} as const;

/** What came of the checks after an apply: each failure, then a line for each check. */
export function checkLines(results: readonly ActionResult[]): string[] {
  const said = { good: 'is good', failed: 'failed', running: 'still runs' } as const;
  return [
    ...results.flatMap(({ failure }) => (failure === undefined ? [] : failureLines(failure, []))),
    ...results.map(({ run }) => `check ${run.action} ${said[run.state]}`),
  ];
}

/** One failure: what, why, the last words of the container, the warnings, and what waits for it. */
export function failureLines({ key, reason, container, log, events }: StepFailure, heldBack: readonly string[]): string[] {
  return [
    `x ${key} ${reason}`,
    ...(log.length === 0 ? [] : [`    last output of "${container}":`, ...log.map((line) => `      | ${line}`)]),
    ...(events.length === 0 ? [] : ['    events:', ...events.map((line) => `      ${line}`)]),
    ...(heldBack.length === 0 ? [] : [`    holds back ${heldBack.join(', ')}`]),
  ];
}

/** Steps that directly or by others wait for one. */
function heldBackBy(id: string, { plan, steps }: DeployResult): string[] {
  const held = new Set<string>([id]);
  for (const step of plan.steps) if (step.waitsFor.some((before) => held.has(before)) && steps.get(step.id)?.state === 'blocked') held.add(step.id);
  held.delete(id);
  return [...held];
}
