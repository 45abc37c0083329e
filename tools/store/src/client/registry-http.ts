import { setTimeout } from 'node:timers/promises';
import { CcpError, messageOf, retryAfterMs } from '#core';
import { proxiedFetch } from '#host';
import type { RegistryOptions } from '../options.ts';
import { isTrustworthy, tokenAuth } from './token-auth.ts';
import { invalidAnswer } from './registry-error.ts';

const ATTEMPTS = 5;
const REDIRECTS = 5;
const LONGEST_WAIT = 60_000;

/** One request; `what` is a clause for messages such as `read manifest a/b:1`. */
export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT';
  /** Path from the registry's root, or a URL it answered with. */
  readonly path: string;
  readonly scope: string;
  readonly what: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** False where the request must not be sent twice. */
  readonly retry?: boolean;
}

/**
 * Sends requests to one registry: authorization by scope, redirects (bounded, credentials stay at home), and again after
 * 429, 5xx and broken connections, as Retry-After says or with back-off. The answer may be of any status; raises
 * `registry-unreachable`, `registry-invalid` and those of tokens.
 */
export type RegistryHttp = (request: RegistryRequest) => Promise<Response>;

/** The sender for the registry of `options`. */
export function registryHttp({ host, credentials, sleep = setTimeout }: RegistryOptions): RegistryHttp {
  const root = new URL(`${/^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/.test(host) ? 'http' : 'https'}://${host}/`);
  const auth = tokenAuth(host, credentials);

  const once = async (request: RegistryRequest, authorization: string | undefined): Promise<Response> => {
    let url = new URL(request.path, root);
    for (let hop = 0; hop <= REDIRECTS; hop += 1) {
      if (!isTrustworthy(url) && url.protocol !== root.protocol) throw invalidAnswer(host, request.what, 'it sends to a place that is not safe');
      const own = url.host === root.host && url.protocol === root.protocol;
      const response = await proxiedFetch(url, {
        method: request.method,
        redirect: 'manual',
        headers: { ...request.headers, ...(own && authorization !== undefined ? { Authorization: authorization } : {}) },
        ...(request.body === undefined ? {} : { body: request.body }),
      });
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      await response.body?.cancel();
      url = new URL(location, url);
    }
    throw invalidAnswer(host, request.what, `it redirects more than ${REDIRECTS} times`);
  };

  const authorized = async (request: RegistryRequest): Promise<Response> => {
    const response = await once(request, auth.known(request.scope));
    const challenge = response.headers.get('www-authenticate');
    if (response.status !== 401 || challenge === null) return response;
    const authorization = await auth.answer(request.scope, challenge);
    if (authorization === undefined) return response;
    await response.body?.cancel();
    return once(request, authorization);
  };

  return async (request) => {
    const attempts = request.retry === false ? 1 : ATTEMPTS;
    for (let attempt = 1; ; attempt += 1) {
      const response = await authorized(request).catch((thrown: unknown) => {
        if (thrown instanceof CcpError) throw thrown;
        if (attempt < attempts) return undefined;
        throw unreachable(host, request.what, thrown);
      });
      if (response !== undefined && (attempt >= attempts || !isTransient(response.status))) return response;
      await response?.body?.cancel();
      await sleep(delayOf(response?.headers.get('retry-after') ?? null, attempt));
    }
  };
}

/** True for a status that another attempt may change. */
export function isTransient(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501 && status !== 507);
}

/** Milliseconds to wait before the attempt after `attempt`: what Retry-After says (seconds or a date), else doubling; at most a minute. */
export function delayOf(retryAfter: string | null, attempt: number, now: number = Date.now()): number {
  return Math.min(retryAfterMs(retryAfter ?? '', now) ?? 250 * 2 ** attempt, LONGEST_WAIT);
}

function unreachable(host: string, what: string, cause: unknown): CcpError {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return new CcpError({
    code: 'registry-unreachable',
    message: `${host} cannot be reached to ${what}: ${messageOf(inner)}`,
    hint: 'check the host name, the network and the proxy settings',
    cause,
  });
}
