import { setTimeout as sleep } from 'node:timers/promises';
import { backOffMs, CcpError, codeOf, messageOf, retry, type RetryPolicy } from '#core';
import { retryAfterMs } from '#formats';

/** About 17 seconds of waits in all. */
export const DEFAULT_RETRY: RetryPolicy = { attempts: 6, firstMs: 750 };

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

/** A temporary error: a response status that allows a retry, or a lost connection. */
export class TransientError extends Error {
  /** Wait requested by the server (Retry-After). */
  readonly waitMs: number | undefined;

  constructor(message: string, waitMs?: number, cause?: unknown) {
    super(message, { cause });
    this.waitMs = waitMs;
  }
}

/**
 * A mirror that sends nothing, or almost nothing. Another mirror is tried first, since each retry
 * costs the full timeout.
 */
export class SilentError extends Error {}

/** A response that violates HTTP or redirects to an invalid URL; a retry would fail again. */
export class BrokenAnswerError extends Error {}

/** Converts an HTTP protocol error to `BrokenAnswerError`; other errors are returned unchanged. */
export function asBrokenAnswer(thrown: unknown): unknown {
  const code = codeOf(thrown) ?? '';
  const broken = /^(?:HPE_|ERR_HTTP_|ERR_INVALID_|ERR_UNESCAPED_)/.test(code);
  if (thrown instanceof CcpError || !broken || TRANSIENT_CODES.has(code)) return thrown;
  return new BrokenAnswerError(messageOf(thrown), { cause: thrown });
}

/** The transient error for this response status; `undefined` if the status is not transient. */
export function transientStatus(
  status: number,
  retryAfter: string | string[] | undefined,
  now = Date.now(),
): TransientError | undefined {
  if (!TRANSIENT_STATUS.has(status)) return undefined;
  return new TransientError(
    `the mirror answered ${status}`,
    typeof retryAfter === 'string' ? retryAfterMs(retryAfter, now) : undefined,
  );
}

/** Converts a temporary network error to `TransientError`; other errors are returned unchanged. */
export function asTransient(thrown: unknown): unknown {
  if (thrown instanceof CcpError || thrown instanceof TransientError) return thrown;
  return TRANSIENT_CODES.has(codeOf(thrown) ?? '')
    ? new TransientError(messageOf(thrown), undefined, thrown)
    : thrown;
}

/**
 * Runs `attempt` until it succeeds, raises an error that is not transient, or the attempts are used
 * up; then raises the last error. `random` is in [0, 1).
 */
export async function retryTransient<T>(
  attempt: () => Promise<T>,
  policy: RetryPolicy,
  signal: AbortSignal,
  report: (reason: string, delayMs: number) => void,
  random: () => number = Math.random,
): Promise<T> {
  const call = (): Promise<T> =>
    attempt().catch((thrown: unknown) => {
      throw asTransient(thrown);
    });
  return await retry(call, policy.attempts, async (error, tries) => {
    if (!(error instanceof TransientError) || signal.aborted) return false;
    const wait = Math.max(backOffMs(policy, tries, random), error.waitMs ?? 0);
    const delayMs = Math.round(Math.min(MAX_WAIT_MS, wait));
    report(error.message, delayMs);
    await sleep(delayMs, undefined, { signal });
    return true;
  });
}
