import { redact } from '#core';
import { causeLine, stepFailures, type DeployResult, type RevisionRecord } from '#rollout';
import type { LastFailure } from '../resources/types.ts';

const LONGEST_REASON = 1024;
const LONGEST_LINE = 512;

/**
 * The first failure of a result, at most 2 KiB and without secrets, since all who may read the
 * resource see it; `undefined` if nothing failed.
 */
export function failureOf({ plan, steps, failures }: DeployResult): LastFailure | undefined {
  const [first] = [...failures, ...stepFailures(steps)];
  if (first === undefined) return undefined;
  const { key, reason, container, exitCode, log } = first;
  const line = causeLine(log);
  return {
    revision: plan.revision,
    object: key,
    reason: redact(reason).slice(0, LONGEST_REASON),
    ...(container === undefined ? {} : { container }),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(line === undefined ? {} : { lastLine: redact(line).slice(0, LONGEST_LINE) }),
  };
}

/** The first failure in a record, for an operator that ended before it wrote the status. */
export function recordedFailure({ revision, failures }: RevisionRecord): LastFailure | undefined {
  const [first] = failures ?? [];
  return first === undefined
    ? undefined
    : { revision, reason: redact(first).slice(0, LONGEST_REASON) };
}

/** A failure as one line. */
export function failureLine({ object, reason, lastLine }: LastFailure): string {
  return `${object === undefined ? '' : `${object} `}${reason}${lastLine === undefined ? '' : `: ${lastLine}`}`;
}
