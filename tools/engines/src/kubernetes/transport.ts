import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { asProxyFault, proxiesOf } from '#core';
import type { ApiAnswer, ApiRequest } from './api-request.ts';
import { answerTooLarge, lostError } from './cluster-error.ts';
import { isLoopback, type Connection, type Credentials } from './connection.ts';

/** Milliseconds and bytes that a server gets. */
export interface TransportLimits {
  /** Until an answer begins; API servers give admission webhooks up to 30 s. */
  readonly answerMs: number;
  /** Between two parts of an answer. */
  readonly idleMs: number;
  readonly answerBytes: number;
}

/** The limits of every connection, tests apart. */
export const TRANSPORT_LIMITS: TransportLimits = { answerMs: 60_000, idleMs: 30_000, answerBytes: 128 * 1024 * 1024 };

const MOST_CALLS = 32;

/** Sends requests to one server over connections that are kept; one try each. */
export interface Transport {
  readonly server: string;
  /** Raises `cluster-unreachable` where the answer does not come whole. */
  send(request: ApiRequest, credentials: Credentials, signal?: AbortSignal): Promise<ApiAnswer>;
  /** The same with an answer that is read while it comes; the reader destroys it. */
  open(request: ApiRequest, credentials: Credentials, signal: AbortSignal): Promise<IncomingMessage>;
  close(): void;
}

/**
 * A transport over node's own HTTP client; certificates are checked against the connection's CA, also where
 * NODE_TLS_REJECT_UNAUTHORIZED says that they are not.
 */
export function httpTransport({ server, tls, proxyUrl, impersonate }: Connection, limits: TransportLimits = TRANSPORT_LIMITS): Transport {
  const isTls = server.startsWith('https:');
  const { hostname } = new URL(server);
  const environment = isLoopback(hostname) ? {} : proxiesOf(process.env, hostname);
  const proxy = proxyUrl ?? (isTls ? environment.https_proxy : environment.http_proxy);
  const proxyEnv = proxyUrl === undefined ? { ...environment } : { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl };
  const options = { keepAlive: true, keepAliveMsecs: 15_000, scheduling: 'lifo', proxyEnv } as const;
  const newAgent = (maxSockets: number) =>
    isTls ? new HttpsAgent({ ...options, maxSockets, rejectUnauthorized: true }) : new HttpAgent({ ...options, maxSockets });
  /** Watches hold their connections: they would leave none to other calls if they shared a limit. */
  const agents = { calls: newAgent(MOST_CALLS), watches: newAgent(Number.POSITIVE_INFINITY) };

  function start(
    agent: HttpAgent,
    { method, path, body, contentType = 'application/json', accept = 'application/json' }: ApiRequest,
    { token, certificate, key }: Credentials,
    signal?: AbortSignal,
  ): ClientRequest {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      accept,
      'user-agent': 'ccp',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...impersonation(impersonate),
      ...(payload === undefined ? {} : { 'content-type': contentType, 'content-length': payload.length }),
    };
    const common = { method, agent, headers, ...(signal === undefined ? {} : { signal }) };
    const secure = {
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    };
    const url = `${server}${path}`;
    const sent = isTls ? httpsRequest(url, { ...common, ...secure }) : httpRequest(url, common);
    sent.end(payload);
    return sent;
  }

  async function open(agent: HttpAgent, request: ApiRequest, credentials: Credentials, signal?: AbortSignal): Promise<IncomingMessage> {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = start(agent, request, credentials, signal);
      const timer = setTimeout(() => sent.destroy(new Error(`no answer within ${limits.answerMs / 1000} s`)), limits.answerMs);
      const settled = (act: () => void) => {
        clearTimeout(timer);
        act();
      };
      sent.once('response', (answer) => {
        answer.on('error', () => undefined);
        settled(() => resolve(answer));
      });
      sent.on('error', (thrown) => settled(() => reject(lostError(asProxyFault(thrown, proxy), { server, doing: request.doing }, signal))));
    });
  }

  return {
    server,
    open: async (request, credentials, signal) => await open(agents.watches, request, credentials, signal),
    send: async (request, credentials, signal) => {
      const answer = await open(agents.calls, request, credentials, signal);
      try {
        return await readAnswer(answer, request.doing, limits);
      } catch (thrown) {
        throw lostError(thrown, { server, doing: request.doing }, signal);
      }
    },
    close: () => {
      agents.calls.destroy();
      agents.watches.destroy();
    },
  };
}

function impersonation(as: Connection['impersonate']): Readonly<Record<string, string | string[]>> {
  if (as === undefined) return {};
  return { 'impersonate-user': as.user, ...(as.groups.length > 0 ? { 'impersonate-group': [...as.groups] } : {}) };
}

/** The whole of an answer, as far as the limits let it come. */
export async function readAnswer(answer: IncomingMessage, doing: string, limits: TransportLimits = TRANSPORT_LIMITS): Promise<ApiAnswer> {
  let size = 0;
  answer.on('data', (part: Buffer) => {
    size += part.length;
    if (size > limits.answerBytes) answer.destroy(answerTooLarge(doing, limits.answerBytes));
  });
  answer.setTimeout(limits.idleMs, () => answer.destroy(new Error(`the answer stopped for ${limits.idleMs / 1000} s`)));
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}
