import { CcpError, codeOf, omitUndefined } from '#core';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse, ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import { requestError, statusError, type ApiStatus } from './cluster-error.ts';
import type { CredentialSource } from './connection.ts';
import type { Transport } from './transport.ts';

/** Time limits for retries of a request, in milliseconds. */
export interface RetryLimits {
  /** Total time if the server has responded to this client before. */
  readonly knownMs: number;
  /** Total time if it has not: a wrong address should be reported soon. */
  readonly unknownMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** Default limits, for use at a terminal. */
export const RETRY_LIMITS: RetryLimits = {
  knownMs: 60_000,
  unknownMs: 3_000,
  firstWaitMs: 200,
  longestWaitMs: 5_000,
};

/** A response, and whether an earlier attempt of the same request may have succeeded. */
export interface ServerReply {
  readonly answer: ApiResponse;
  readonly mayBeRepeated: boolean;
}

/** Sends requests, and retries lost connections, 429 and transient 5xx with back-off and jitter. */
export interface Server {
  readonly transport: Transport;
  /**
   * Resolves with every response that needs no retry, including 4xx. Throws `cluster-unreachable`,
   * `cluster-untrusted`, `cluster-busy` and `cancelled`.
   */
  send(request: ApiRequest): Promise<ServerReply>;
  /** Converts the status of a failed request to an error. */
  statusError(status: ApiStatus, request: ApiRequest): CcpError;
  readonly credentials: CredentialSource;
  readonly signal: AbortSignal | undefined;
}

/**
 * A server over `transport` with retries within the limits `retry`; `signal` cancels all requests.
 */
export function retryingServer(
  transport: Transport,
  credentials: CredentialSource,
  retry: RetryLimits = RETRY_LIMITS,
  signal?: AbortSignal,
): Server {
  let isKnown = false;

  async function tryOnce(request: ApiRequest): Promise<ApiResponse> {
    const answer = await transport.send(request, await credentials.get(), signal);
    if (answer.status !== 401) return answer;
    return await transport.send(request, await credentials.get({ refresh: true }), signal);
  }

  async function send(request: ApiRequest): Promise<ServerReply> {
    const began = Date.now();
    let mayBeRepeated = false;
    for (let tries = 1; ; tries += 1) {
      let retryAfter: number | undefined;
      let failure: CcpError;
      try {
        const answer = await tryOnce(request);
        isKnown = true;
        const status = answer.status < 400 ? undefined : readStatus(answer);
        if (status === undefined || !isTransient(status)) return { answer, mayBeRepeated };
        retryAfter = status.retryAfterSeconds;
        failure = statusError(status, { server: transport.server, doing: request.doing });
        mayBeRepeated ||= status.code >= 500;
      } catch (thrown) {
        failure = requestError(thrown, { server: transport.server, doing: request.doing }, signal);
        if (codeOf(failure) !== 'cluster-unreachable') throw failure;
        mayBeRepeated = true;
      }
      const left = began + (isKnown ? retry.knownMs : retry.unknownMs) - Date.now();
      const wait =
        retryAfter === undefined
          ? backOff(tries, retry)
          : retryAfter * 1000 * (1 + Math.random() / 4);
      if (wait > left) throw failure;
      await sleep(wait, undefined, { ...omitUndefined({ signal }) }).catch((thrown: unknown) => {
        throw requestError(thrown, { server: transport.server, doing: request.doing }, signal);
      });
    }
  }

  return {
    transport,
    send,
    credentials,
    signal,
    statusError: (status, { doing }) => statusError(status, { server: transport.server, doing }),
  };
}

/** Milliseconds to wait after attempt number `tries`: doubles each time, with 50% jitter. */
export function backOff(
  tries: number,
  { firstWaitMs, longestWaitMs }: Pick<RetryLimits, 'firstWaitMs' | 'longestWaitMs'>,
): number {
  return Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs) * (0.5 + Math.random() / 2);
}

function isTransient({ code, retryAfterSeconds }: ApiStatus): boolean {
  return (
    code === 429 ||
    code === 502 ||
    code === 503 ||
    code === 504 ||
    (code === 500 && retryAfterSeconds !== undefined)
  );
}
