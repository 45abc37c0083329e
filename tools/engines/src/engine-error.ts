import { CcpError, codeOf, messageOf } from '#core';
import { isPrivate } from './endpoint.ts';

const NO_ANSWER = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
  'EACCES',
  'EPERM',
]);
/** The connection was closed, possibly in the middle of a response. */
const CONNECTION_LOST = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ERR_STREAM_PREMATURE_CLOSE',
  'HPE_INVALID_EOF_STATE',
]);
const NO_SPACE = /no space left on device|disk quota exceeded/i;

/** The operation that an error message names. */
export interface EngineCall {
  /** The endpoint's name. */
  readonly engine: string;
  /** Text after "cannot": `push 127.0.0.1:5000/x:1`. */
  readonly doing: string;
  /** Error code if the engine rejects the request (4xx). */
  readonly refused: string;
}

/**
 * Converts an error of a request to an engine to a `CcpError`. Errors of this project, and errors
 * that come neither from a response nor from a socket (bugs), are returned unchanged.
 */
export function engineError(thrown: unknown, { engine, doing, refused }: EngineCall): unknown {
  if (thrown instanceof CcpError) return thrown;
  const status = statusOf(thrown);
  const message = messageOf(thrown)
    .replace(/^\(HTTP code \d+\) [^-]* - /, '')
    .trim();
  const code = codeOf(thrown);
  if (code === 'ABORT_ERR') return cancelledError(doing, engine);
  if (status !== undefined && status < 500 && !NO_SPACE.test(message)) {
    return new CcpError({ code: refused, message: `cannot ${doing}: ${message}`, cause: thrown });
  }
  if (status === undefined && code !== undefined && NO_ANSWER.has(code))
    return unreachableError(engine, thrown);
  const failed =
    status !== undefined ||
    (code !== undefined && CONNECTION_LOST.has(code)) ||
    NO_SPACE.test(message);
  return failed ? brokenError(message, { engine, doing }) : thrown;
}

/** The error for a failure of the engine itself, such as a full disk or a temporary failure. */
export function brokenError(
  message: string,
  { engine, doing }: Pick<EngineCall, 'engine' | 'doing'>,
): CcpError {
  if (isDiskFull(message)) {
    return new CcpError({
      code: 'engine-disk-full',
      message: `cannot ${doing}: the disk of the engine ${engine} is full (${message})`,
      hint: `free space with \`${isPrivate(engine) ? 'ccp clean --build-cache' : `docker -H ${engine} system prune`}\`, or give the engine a larger disk`,
    });
  }
  return new CcpError({
    code: 'engine-failed',
    message: `cannot ${doing}: the engine ${engine} failed: ${message}`,
  });
}

/** Whether an engine's message reports a full disk. */
export function isDiskFull(message: string): boolean {
  return NO_SPACE.test(message);
}

/** The error for an engine that does not respond. */
export function unreachableError(engine: string, thrown: unknown): CcpError {
  return new CcpError({
    code: 'engine-unreachable',
    message: `the engine ${engine} does not respond: ${messageOf(thrown)}`,
    hint: unreachableHint(engine, thrown),
    cause: thrown,
  });
}

function unreachableHint(engine: string, thrown: unknown): string {
  const denied = codeOf(thrown) === 'EACCES' || codeOf(thrown) === 'EPERM';
  if (denied) return 'add your user to the group that owns the socket, or run as root';
  if (isPrivate(engine)) return 'run the command again: it starts the private engine';
  return 'start the engine, or use another one: --engine, `engines` in .ccp.yaml, or DOCKER_HOST';
}

/** The error `cancelled` for an operation on an engine. */
export function cancelledError(doing: string, engine: string): CcpError {
  return new CcpError({ code: 'cancelled', message: `${doing} on ${engine}: cancelled` });
}

/** The HTTP status of a dockerode error; undefined if the engine did not respond. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}
