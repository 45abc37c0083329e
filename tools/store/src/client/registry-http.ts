import { setTimeout } from 'node:timers/promises';
import { backOffMs, CcpError, messageOf, omitUndefined } from '#core';
import { retryAfterMs } from '#formats';
import { proxiedFetch } from '#host';
import type { RegistryOptions } from '../options.ts';
import { isLoopbackAuthority, redirectTarget } from './redirect-target.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, isRegistryFull, requestRefused } from './registry-error.ts';
import { boundedResponse, SlowError } from './slow-responses.ts';
import { tokenAuth } from './token-auth.ts';

/**
 * With the longest waits, the attempts span a minute: a registry may restart meanwhile. A publish
 * of 12 images sends 400 requests, so a registry that fails half of them needs this many attempts.
 */
const ATTEMPTS = 12;
const REDIRECTS = 5;
/** Maximum size of the text of an error, in bytes. */
const MAX_TEXT = 1 << 20;
const LONGEST_WAIT_MS = 60_000;
const SLOW_MS = 60_000;
/** Attempts of a request that gets no response in time. */
const SLOW_ATTEMPTS = 3;
/** A registry answers the end of an upload after it has stored the blob. */
const SLOW_WRITE_MS = 600_000;
const BACK_OFF = { firstMs: 500, limitMs: 10_000 };

/** One request; `action` is a clause for messages such as `read manifest a/b:1`. */
export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'PUT';
  /** Path from the registry's root, or a URL from one of its responses. */
  readonly path: string;
  /** One scope such as `repository:a/b:pull`, or several with spaces between. */
  readonly scope: string;
  readonly action: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** False if the request must not be sent twice. */
  readonly retry?: boolean;
}

/**
 * Sends requests to one registry. It authorizes by scope, follows a limited number of redirects
 * (credentials are sent only to the registry's own origin), and retries after 429, 5xx and broken
 * connections, with the delay from Retry-After or with back-off; a registry whose disk is full is
 * not asked again. The response can have any status. Throws `registry-unreachable`,
 * `registry-full`, `registry-invalid` and token errors.
 */
export type RegistryHttp = (request: RegistryRequest) => Promise<Response>;

interface Answer {
  readonly response: Response;
  /** True if the response came from the registry itself, not from a redirect's target. */
  readonly own: boolean;
}

/** A sender of requests to the registry in `options`. */
export function registryHttp({
  host,
  plainHttp = isLoopbackAuthority(host),
  credentials,
  sleep = setTimeout,
  slowMs = SLOW_MS,
}: RegistryOptions): RegistryHttp {
  const root = new URL(`${plainHttp ? 'http' : 'https'}://${host}/`);
  const auth = tokenAuth(root, credentials);

  const once = async (
    request: RegistryRequest,
    authorization: string | undefined,
  ): Promise<Answer> => {
    let url = redirectTarget(request.path, root, root, host, request.action);
    for (let hop = 0; hop <= REDIRECTS; hop += 1) {
      const own = url.origin === root.origin;
      const at = url;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      const response = await boundedResponse(isRead ? slowMs : SLOW_WRITE_MS, async (signal) =>
        proxiedFetch(at, {
          method: request.method,
          redirect: 'manual',
          signal,
          headers: {
            ...request.headers,
            ...(own && authorization !== undefined ? { Authorization: authorization } : {}),
          },
          ...omitUndefined({ body: request.body }),
        }),
      );
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null)
        return { response, own };
      await response.body?.cancel();
      url = redirectTarget(location, url, root, host, request.action);
    }
    throw invalidResponse(host, request.action, `it redirects more than ${REDIRECTS} times`);
  };

  const authorized = async (request: RegistryRequest): Promise<Response> => {
    const { response, own } = await once(request, auth.known(request.scope));
    const challenge = response.headers.get('www-authenticate');
    // Challenges of other origins are not answered: the credentials belong to this registry only.
    if (!own || response.status !== 401 || challenge === null) return response;
    const authorization = await auth.answer(request.scope, challenge);
    if (authorization === undefined) return response;
    await response.body?.cancel();
    return (await once(request, authorization)).response;
  };

  return async (request) => {
    const attempts = request.retry === false ? 1 : ATTEMPTS;
    let slow = 0;
    for (let attempt = 1; ; attempt += 1) {
      const response = await authorized(request).catch((thrown: unknown) => {
        if (thrown instanceof CcpError) throw thrown;
        slow += thrown instanceof SlowError ? 1 : 0;
        if (attempt < attempts && slow < SLOW_ATTEMPTS) return undefined;
        throw unreachable(host, request.action, thrown);
      });
      if (response !== undefined && (attempt >= attempts || !isTransient(response.status)))
        return response;
      if (response !== undefined) await checkSpace(response, host, request.action);
      await sleep(delayOf(response?.headers.get('retry-after') ?? null, attempt));
    }
  };
}

/** Reads an error response to its end. Throws `registry-full` if it reports a full disk. */
async function checkSpace(response: Response, host: string, action: string): Promise<void> {
  const text = await readLimited(response, MAX_TEXT, host, action).catch(() => '');
  if (isRegistryFull(response.status, text.toString()))
    throw requestRefused(host, action, response.status, text.toString());
}

/** True for a status after which a retry can succeed. */
function isTransient(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501 && status !== 507);
}

/**
 * Milliseconds to wait after failed attempt number `attempt`: from Retry-After (seconds or a date),
 * else the back-off; at most a minute.
 */
export function delayOf(
  retryAfter: string | null,
  attempt: number,
  now: number = Date.now(),
  random: () => number = Math.random,
): number {
  const asked = retryAfterMs(retryAfter ?? '', now);
  return Math.min(asked ?? backOffMs(BACK_OFF, attempt, random), LONGEST_WAIT_MS);
}

function unreachable(host: string, action: string, cause: unknown): CcpError {
  const inner = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause;
  return new CcpError({
    code: 'registry-unreachable',
    message: `cannot connect to ${host} to ${action}: ${messageOf(inner)}`,
    hint: 'check the host name, the network and the proxy settings',
    cause,
  });
}
