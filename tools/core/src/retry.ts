/** The number of attempts and the waits between them. */
export interface RetryPolicy {
  /** Total number of attempts. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly firstMs: number;
  /** Longest wait in milliseconds; a minute if absent. */
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;

/**
 * Milliseconds to wait after failed attempt number `attempt` (from 1): doubled up to the limit,
 * with jitter in the upper half. `random` returns a number in [0, 1).
 */
export function backOffMs(
  { firstMs, limitMs = LIMIT_MS }: Omit<RetryPolicy, 'attempts'>,
  attempt: number,
  random: () => number = Math.random,
): number {
  return Math.min(firstMs * 2 ** (attempt - 1), limitMs) * (0.5 + random() / 2);
}

/**
 * Makes a call until it succeeds or `attempts` attempts have failed; then throws the last error.
 * `pause` runs after each failed attempt except the last: it waits, or resolves to false to stop.
 */
export async function retry<T>(
  call: () => Promise<T>,
  attempts: number,
  pause: (thrown: unknown, attempt: number) => Promise<boolean>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (thrown) {
      if (attempt >= attempts || !(await pause(thrown, attempt))) throw thrown;
    }
  }
}
