import { setTimeout } from 'node:timers/promises';
import { backOffMs, CcpError, messageOf, omitUndefined, redact } from '#core';
import { INDEX_ACCEPT, withIndexLogin } from '#formats';
import { readResponse } from '../read-response.ts';

/** `fetch` of the platform, or a wrapper with the project's proxies, authorities and retries. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface IndexAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** URL after redirections. */
  readonly url: string;
  /** The body; empty unless the status is a success. */
  readonly bytes: Uint8Array;
}

/** Sends requests and reads complete responses; `limit` is in bytes. */
export interface IndexHttp {
  /**
   * Raises `python-index-failed` if no attempt returns a complete response or it is too long, and
   * `cancelled`.
   */
  ask(
    method: 'GET' | 'HEAD',
    url: string,
    options?: { readonly accept?: string; readonly limit?: number },
  ): Promise<IndexAnswer>;
}

export interface IndexHttpOptions {
  /** URLs of the indexes, with their logins. */
  readonly urls: () => readonly string[];
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds before the second attempt; doubled for each further attempt. */
  readonly firstMs?: number;
  /** Waits between two attempts. */
  readonly sleep?: (milliseconds: number) => Promise<unknown>;
}

const ATTEMPTS = 4;
const TIMEOUT_MS = 120_000;

/**
 * Opens a client for indexes and their file hosts; an incomplete body also counts as a failed
 * attempt.
 */
export function openIndexHttp({
  urls,
  fetch,
  signal,
  firstMs = 500,
  sleep = (milliseconds) => setTimeout(milliseconds, undefined, omitUndefined({ signal })),
}: IndexHttpOptions): IndexHttp {
  /** Moves the login from the URL to a header, since `fetch` refuses URLs with a login. */
  const authorised = (url: string): { readonly url: string; readonly authorization?: string } => {
    const parsed = new URL(urls().reduce(withIndexLogin, url));
    const { username, password } = parsed;
    parsed.username = parsed.password = '';
    if (username === '' && password === '') return { url: parsed.href };
    const login = Buffer.from(
      `${decodeURIComponent(username)}:${decodeURIComponent(password)}`,
    ).toString('base64');
    return { url: parsed.href, authorization: `Basic ${login}` };
  };

  const attempt = async (
    method: string,
    target: string,
    accept: string,
    limit: number,
  ): Promise<IndexAnswer | Error> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const { url, ...login } = authorised(target);
    const response = await fetch(url, {
      method,
      headers: {
        accept,
        'accept-encoding': accept === INDEX_ACCEPT ? 'gzip' : 'identity',
        ...login,
      },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const { status, headers } = response;
    if (!response.ok) await response.body?.cancel();
    if (status >= 500 || status === 429) return new Error(`it answered ${status}`);
    const refuse = (why: string): CcpError =>
      new CcpError({ code: 'python-index-failed', message: `${redact(target)} ${why}` });
    const bytes = response.ok ? await readResponse(response, url, limit, refuse) : new Uint8Array();
    return { status, headers, url: response.url === '' ? url : response.url, bytes };
  };

  return {
    ask: async (method, url, { accept = '*/*', limit = 0 } = {}) => {
      for (let tries = 1; ; tries++) {
        const answer = await attempt(method, url, accept, limit).catch((thrown: unknown) => {
          if (thrown instanceof CcpError) throw thrown;
          return thrown instanceof Error && thrown.cause instanceof Error
            ? thrown.cause
            : new Error(messageOf(thrown), { cause: thrown });
        });
        if (signal?.aborted === true)
          throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
        if (!(answer instanceof Error)) return answer;
        if (tries === ATTEMPTS) {
          throw new CcpError({
            code: 'python-index-failed',
            message: `${url} could not be read: ${messageOf(answer)}`,
            hint: 'check the index in pip or uv configuration or in .ccp.yaml, and the proxy',
            cause: answer,
          });
        }
        // Rejects if the signal aborts; the next round then throws `cancelled`.
        await sleep(backOffMs({ firstMs }, tries)).catch(() => undefined);
      }
    },
  };
}
