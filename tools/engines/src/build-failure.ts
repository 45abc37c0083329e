import { CcpError } from '#core';
import type { FailedStep } from './build-progress.ts';
import { brokenError, isDiskFull, type EngineCall } from './engine-error.ts';

const LOST_CONNECTION =
  /connection reset|connection refused|broken pipe|unexpected EOF|i\/o timeout|transport is closing|TLS handshake/i;
const BROKEN_OFF = /context canceled|context deadline exceeded|status(?: code)?:? 5\d\d/i;
/** The engine's build cache names a layer that the engine no longer has. */
const LOST_LAYER = /failed to get layer sha256:[0-9a-f]{64}: layer does not exist/;
const REFUSED =
  /dockerfile parse error|failed to create LLB definition|failed to read dockerfile|failed to compute cache key|manifest unknown|: not found$/i;
const NAME_LENGTH = 200;

/** Converts the `errorDetail` of a failed build to a `CcpError`. */
export function buildFailure(
  message: string,
  step: FailedStep | undefined,
  call: Pick<EngineCall, 'engine' | 'doing'>,
): CcpError {
  const exitCode = /exit code: (\d+)/.exec(message)?.[1];
  if (exitCode === undefined && (isDiskFull(message) || isTransient(message)))
    return brokenError(message, call);
  if (exitCode === undefined && LOST_LAYER.test(message)) {
    return new CcpError({
      code: 'engine-layer-lost',
      message: `cannot ${call.doing}: the engine ${call.engine} lost a cached layer: ${message}`,
    });
  }
  if (exitCode === undefined && REFUSED.test(message)) {
    return new CcpError({
      code: 'build-invalid',
      message: `cannot ${call.doing}: ${lastCause(message)}`,
    });
  }
  const result =
    exitCode === undefined ? `failed: ${message}` : `failed with exit code ${exitCode}`;
  if (step === undefined)
    return new CcpError({
      code: 'build-failed',
      message: `cannot ${call.doing}: the build ${result}`,
    });
  const lines =
    step.lines.length === 0
      ? ''
      : `; its last lines:\n${step.lines.map((line) => `  ${line}`).join('\n')}`;
  return new CcpError({
    code: 'build-failed',
    message: `cannot ${call.doing}: step "${shorten(step.name)}" ${result}${lines}`,
    ...(step.lines.some(isDiskFull)
      ? {
          hint: 'free disk space on the engine, or write less to the tmpfs mounts of the step',
        }
      : {}),
  });
}

/** Whether a retry of the same build may succeed. */
function isTransient(message: string): boolean {
  return LOST_CONNECTION.test(message) || BROKEN_OFF.test(message);
}

/** The message without the prefixes that BuildKit adds to name its current operation. */
function lastCause(message: string): string {
  return message.replace(
    /^(?:failed to solve[^:]*: )?(?:failed to create LLB definition: |failed to compute cache key: )?/,
    '',
  );
}

function shorten(name: string): string {
  const line = name.replaceAll(/\s+/g, ' ');
  return line.length <= NAME_LENGTH ? line : `${line.slice(0, NAME_LENGTH)}…`;
}
