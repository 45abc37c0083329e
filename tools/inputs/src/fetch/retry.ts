import { setTimeout as sleep } from 'node:timers/promises';
import { CcpError, codeOf, messageOf, retryAfterMs } from '#core';

export interface RetryPolicy {
  readonly attempts: number;
  /** Wait before the second attempt; doubled before each further one, then scattered between half and one and a half of it. */
  readonly baseMs: number;
}

/** About half a minute of trying in all. */
export const PATIENT: RetryPolicy = { attempts: 6, baseMs: 500 };

const MAX_WAIT_MS = 60_000;
const TRANSIENT_CODES = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_HTTP_CONTENT_LENGTH_MISMATCH',
  'HPE_INVALID_EOF_STATE',
]);
const TRANSIENT_STATUS = new Set([408, 425, 429, 500, 502, 503, 504]);

/** A fault that may pass: an answer that says so, or a connection that broke. */
export class TransientError extends Error {
  /** What the server asked to wait, where it did. */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number, cause?: unknown) {
    super(message, { cause });
    this.waitMs = waitMs;
  }
}

/** A mirror that sends nothing, or almost nothing: waiting once more costs as much again, so another one is asked first. */
export class SilentError extends Error {}

/** The transient error that an answer of this status stands for; nothing for any other status. */
export function transientStatus(status: number, retryAfter: string | string[] | undefined, now = Date.now()): TransientError | undefined {
  if (!TRANSIENT_STATUS.has(status)) return undefined;
  return new TransientError(`the mirror answered ${status}`, typeof retryAfter === 'string' ? retryAfterMs(retryAfter, now) : undefined);
}

/** `thrown` as a transient error where it is one; else as it is. */
export function asTransient(thrown: unknown): unknown {
  if (thrown instanceof CcpError || thrown instanceof TransientError) return thrown;
  return TRANSIENT_CODES.has(codeOf(thrown) ?? '') ? new TransientError(messageOf(thrown), undefined, thrown) : thrown;
}

/**
 * Runs `attempt` until it succeeds, raises something that is not transient, or has been tried often enough; then the last error
 * is raised. `random` is in [0, 1).
 */
export async function retrying<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
  tell: (reason: string, delayMs: number) => void,
  random: () => number = Math.random,
): Promise<T> {
  for (let done = 1; ; done++) {
    try {
      return await attempt();
    } catch (thrown) {
      const error = asTransient(thrown);
      if (!(error instanceof TransientError) || done >= policy.attempts || signal.aborted) throw error;
      const backOff = policy.baseMs * 2 ** (done - 1) * (0.5 + random());
      const delayMs = Math.round(Math.min(MAX_WAIT_MS, Math.max(backOff, error.waitMs ?? 0)));
      tell(error.message, delayMs);
      await sleep(delayMs, undefined, { signal });
    }
  }
}
