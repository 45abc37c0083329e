import { CcpError, codeOf } from '#core';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import { readStatus } from './api-status.ts';
import { lostError, refusedError, type ApiStatus } from './cluster-error.ts';
import type { CredentialSource } from './connection.ts';
import type { Transport } from './transport.ts';

/** How long a server that does not answer, or says that it is busy, is asked again. Milliseconds. */
export interface Patience {
  /** Of a server that has answered this client before. */
  readonly knownMs: number;
  /** Of one that never has: a wrong address should be told soon. */
  readonly unknownMs: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
}

/** What a person at a terminal bears. */
export const PATIENCE: Patience = { knownMs: 60_000, unknownMs: 3_000, firstWaitMs: 200, longestWaitMs: 5_000 };

/** An answer, and whether an earlier try of the same request may have done its work already. */
export interface Asked {
  readonly answer: ApiAnswer;
  readonly mayRepeat: boolean;
}

/** Sends requests until one is answered: dropped connections, 429 and passing 5xx are tried again with back-off and jitter. */
export interface Server {
  readonly transport: Transport;
  /** Every answer that is not to be tried again, 4xx included. Raises `cluster-unreachable`, `cluster-untrusted`, `cluster-busy`, `cancelled`. */
  ask(request: ApiRequest): Promise<Asked>;
  /** The status of an answer, as an error. */
  refused(status: ApiStatus, request: ApiRequest): CcpError;
  readonly credentials: CredentialSource;
  readonly signal: AbortSignal | undefined;
}

/** A server over `transport` that is asked again as long as `patience` says; `signal` cancels all requests. */
export function patientServer(transport: Transport, credentials: CredentialSource, patience: Patience = PATIENCE, signal?: AbortSignal): Server {
  let isKnown = false;

  async function tryOnce(request: ApiRequest): Promise<ApiAnswer> {
    const answer = await transport.send(request, await credentials.get(), signal);
    if (answer.status !== 401) return answer;
    return await transport.send(request, await credentials.get({ refresh: true }), signal);
  }

  async function ask(request: ApiRequest): Promise<Asked> {
    const began = Date.now();
    let mayRepeat = false;
    for (let tries = 1; ; tries += 1) {
      let told: number | undefined;
      let failure: CcpError;
      try {
        const answer = await tryOnce(request);
        isKnown = true;
        const status = answer.status < 400 ? undefined : readStatus(answer);
        if (status === undefined || !isPassing(status)) return { answer, mayRepeat };
        told = status.retryAfterSeconds;
        failure = refusedError(status, { server: transport.server, doing: request.doing });
        mayRepeat ||= status.code >= 500;
      } catch (thrown) {
        failure = lostError(thrown, { server: transport.server, doing: request.doing }, signal);
        if (codeOf(failure) !== 'cluster-unreachable') throw failure;
        mayRepeat = true;
      }
      const left = began + (isKnown ? patience.knownMs : patience.unknownMs) - Date.now();
      const wait = told === undefined ? backOff(tries, patience) : told * 1000 * (1 + Math.random() / 4);
      if (wait > left) throw failure;
      await sleep(wait, undefined, { ...(signal === undefined ? {} : { signal }) }).catch((thrown: unknown) => {
        throw lostError(thrown, { server: transport.server, doing: request.doing }, signal);
      });
    }
  }

  return { transport, ask, credentials, signal, refused: (status, { doing }) => refusedError(status, { server: transport.server, doing }) };
}

/** Milliseconds before the try after try number `tries`, doubling, with jitter of its upper half. */
export function backOff(tries: number, { firstWaitMs, longestWaitMs }: Pick<Patience, 'firstWaitMs' | 'longestWaitMs'>): number {
  return Math.min(firstWaitMs * 2 ** (tries - 1), longestWaitMs) * (0.5 + Math.random() / 2);
}

function isPassing({ code, retryAfterSeconds }: ApiStatus): boolean {
  return code === 429 || code === 502 || code === 503 || code === 504 || (code === 500 && retryAfterSeconds !== undefined);
}
