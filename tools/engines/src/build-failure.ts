import { CcpError } from '#core';
import type { FailedStep } from './build-progress.ts';
import { brokenError, isDiskFull, type EngineCall } from './engine-error.ts';

const LOST_CONNECTION = /connection reset|connection refused|broken pipe|unexpected EOF|i\/o timeout|transport is closing|TLS handshake/i;
const BROKEN_OFF = /context canceled|context deadline exceeded|status(?: code)?:? 5\d\d/i;
const REFUSED = /dockerfile parse error|failed to create LLB definition|failed to read dockerfile|failed to compute cache key|manifest unknown|: not found$/i;
const NAME_LENGTH = 200;

/** The error of ours for the `errorDetail` that ended a build. */
export function buildFailure(message: string, step: FailedStep | undefined, call: Pick<EngineCall, 'engine' | 'doing'>): CcpError {
  const exitCode = /exit code: (\d+)/.exec(message)?.[1];
  if (exitCode === undefined && (isDiskFull(message) || isPassing(message))) return brokenError(message, call);
  if (exitCode === undefined && REFUSED.test(message)) {
    return new CcpError({ code: 'build-invalid', message: `cannot ${call.doing}: ${lastCause(message)}` });
  }
  const what = exitCode === undefined ? `failed: ${message}` : `failed with exit code ${exitCode}`;
  if (step === undefined) return new CcpError({ code: 'build-failed', message: `cannot ${call.doing}: it ${what}` });
  const lines = step.lines.length === 0 ? '' : `; its last lines:\n${step.lines.map((line) => `  ${line}`).join('\n')}`;
  return new CcpError({
    code: 'build-failed',
    message: `cannot ${call.doing}: step "${shorten(step.name)}" ${what}${lines}`,
    ...(step.lines.some(isDiskFull) ? { hint: 'a disk or a tmpfs of the step is full: free space on the engine, or write less to tmpfs' } : {}),
  });
}

/** Whether the same build may well go right when it is tried again. */
function isPassing(message: string): boolean {
  return LOST_CONNECTION.test(message) || BROKEN_OFF.test(message);
}

/** BuildKit wraps each error in what it was doing; a person needs the part after that. */
function lastCause(message: string): string {
  return message.replace(/^(?:failed to solve[^:]*: )?(?:failed to create LLB definition: |failed to compute cache key: )?/, '');
}

function shorten(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ');
  return line.length <= NAME_LENGTH ? line : `${line.slice(0, NAME_LENGTH)}…`;
}
