import { CcpError, codeOf, messageOf } from '#core';
import { isPrivate } from './endpoint.ts';

const NO_ANSWER = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EACCES', 'EPERM']);
/** A connection that was cut, or that ended in the middle of an answer. */
const CUT = new Set(['ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'HPE_INVALID_EOF_STATE']);
const NO_SPACE = /no space left on device|disk quota exceeded/i;

/** What was being done when an error came, for its message. */
export interface EngineCall {
  /** The endpoint's name. */
  readonly engine: string;
  /** A clause: `push 127.0.0.1:5000/x:1`. */
  readonly doing: string;
  /** Code for an engine that answers but says no (4xx). */
  readonly refused: string;
}

/**
 * The error of ours for what a request to an engine threw. Only what the engine or the way to it did is the engine's fault: an
 * error of ours, and one that is neither an answer nor a socket's (a bug), comes back as it is.
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
  if (status === undefined && code !== undefined && NO_ANSWER.has(code)) return unreachableError(engine, thrown);
  const failed = status !== undefined || (code !== undefined && CUT.has(code)) || NO_SPACE.test(message);
  return failed ? brokenError(message, { engine, doing }) : thrown;
}

/** The error for a message of an engine that is in trouble itself: its disk is full, or it failed for a while. */
export function brokenError(message: string, { engine, doing }: Pick<EngineCall, 'engine' | 'doing'>): CcpError {
  if (isDiskFull(message)) {
    return new CcpError({
      code: 'engine-disk-full',
      message: `cannot ${doing}: the disk of the engine ${engine} is full (${message})`,
      hint: `free space with \`${isPrivate(engine) ? 'ccp clean --build-cache' : `docker -H ${engine} system prune`}\`, or give the engine a larger disk`,
    });
  }
  return new CcpError({ code: 'engine-failed', message: `cannot ${doing}: the engine ${engine} failed: ${message}` });
}

/** True where the words of an engine mean that its disk is full. */
export function isDiskFull(message: string): boolean {
  return NO_SPACE.test(message);
}

/** The error for an engine that does not answer at its endpoint. */
export function unreachableError(engine: string, thrown: unknown): CcpError {
  return new CcpError({
    code: 'engine-unreachable',
    message: `the engine ${engine} does not answer: ${messageOf(thrown)}`,
    hint: unreachableHint(engine, thrown),
    cause: thrown,
  });
}

function unreachableHint(engine: string, thrown: unknown): string {
  const denied = codeOf(thrown) === 'EACCES' || codeOf(thrown) === 'EPERM';
  if (denied) return 'this user may not use the socket: join its group, or run as root';
  if (isPrivate(engine)) return 'run the command again, which starts the private engine anew';
  return 'start the engine, or name another one: --engine, `engines` in .ccp.yaml, or DOCKER_HOST';
}

/** `cancelled`, for what an engine was to do. */
export function cancelledError(doing: string, engine: string): CcpError {
  return new CcpError({ code: 'cancelled', message: `${doing} on ${engine}: cancelled` });
}

/** The HTTP status of an error of dockerode's, where the engine answered. */
export function statusOf(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('statusCode' in thrown)) return undefined;
  return typeof thrown.statusCode === 'number' ? thrown.statusCode : undefined;
}
