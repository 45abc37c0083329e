import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { omitUndefined } from '#core';
import { asProxyFault, proxiesOf } from '#host';
import type { ApiResponse, ApiRequest } from './api-request.ts';
import { responseTooLarge, requestError } from './cluster-error.ts';
import { isLoopbackHost, type Connection, type ApiCredentials } from './connection.ts';

/** Timeouts in milliseconds, and sizes in bytes. */
export interface TransportLimits {
  /** Until a response starts; API servers wait up to 30 s for admission webhooks. */
  readonly answerMs: number;
  /** Between two chunks of a response. */
  readonly idleMs: number;
  readonly answerBytes: number;
}

/** Default limits. */
export const TRANSPORT_LIMITS: TransportLimits = {
  answerMs: 60_000,
  idleMs: 30_000,
  answerBytes: 128 * 1024 * 1024,
};

const MOST_CALLS = 32;

/** Sends requests to one server over persistent connections, without retries. */
export interface Transport {
  readonly server: string;
  /** Throws `cluster-unreachable` if the response is not complete. */
  send(
    request: ApiRequest,
    credentials: ApiCredentials,
    signal?: AbortSignal,
  ): Promise<ApiResponse>;
  /** Like `send`, but returns a stream, which the reader must destroy. */
  open(
    request: ApiRequest,
    credentials: ApiCredentials,
    signal: AbortSignal,
  ): Promise<IncomingMessage>;
  /** Upgrades the connection of a GET to another protocol, unless the server answers otherwise. */
  upgrade(
    request: ApiRequest,
    credentials: ApiCredentials,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<{ readonly socket: Duplex; readonly first: Buffer } | ApiResponse>;
  close(): void;
}

/**
 * A transport over Node's HTTP client. Certificates are verified with the connection's CA even if
 * NODE_TLS_REJECT_UNAUTHORIZED is 0.
 */
export function httpTransport(
  { server, tls, proxyUrl, impersonate }: Connection,
  limits: TransportLimits = TRANSPORT_LIMITS,
): Transport {
  const isTls = server.startsWith('https:');
  const { hostname } = new URL(server);
  const environment = isLoopbackHost(hostname) ? {} : proxiesOf(process.env, hostname);
  const proxy = proxyUrl ?? (isTls ? environment.https_proxy : environment.http_proxy);
  const proxyEnv =
    proxyUrl === undefined ? { ...environment } : { HTTPS_PROXY: proxyUrl, HTTP_PROXY: proxyUrl };
  const agents = openAgents(isTls, proxyEnv);
  const fault = (thrown: unknown, { doing }: ApiRequest, signal?: AbortSignal) =>
    requestError(asProxyFault(thrown, proxy), { server, doing }, signal);

  function start(
    agent: HttpAgent,
    {
      method,
      path,
      body,
      contentType = 'application/json',
      accept = 'application/json',
    }: ApiRequest,
    { token, certificate, key }: ApiCredentials,
    signal?: AbortSignal,
    more: Readonly<Record<string, string>> = {},
  ): ClientRequest {
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = {
      accept,
      'user-agent': 'ccp',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...impersonation(impersonate),
      ...more,
      ...(payload === undefined
        ? {}
        : { 'content-type': contentType, 'content-length': payload.length }),
    };
    const common = { method, agent, headers, ...omitUndefined({ signal }) };
    const secure = {
      ...omitUndefined({ ca: tls.ca }),
      ...omitUndefined({ servername: tls.serverName }),
      ...(certificate === undefined ? {} : { cert: certificate, key }),
    };
    const url = `${server}${path}`;
    const sent = isTls ? httpsRequest(url, { ...common, ...secure }) : httpRequest(url, common);
    sent.end(payload);
    return sent;
  }

  async function open(
    agent: HttpAgent,
    request: ApiRequest,
    credentials: ApiCredentials,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    return await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = start(agent, request, credentials, signal);
      const timer = setTimeout(
        () => sent.destroy(new Error(`no response within ${limits.answerMs / 1000} s`)),
        limits.answerMs,
      );
      const settled = (act: () => void) => {
        clearTimeout(timer);
        act();
      };
      sent.once('response', (answer) => {
        answer.on('error', () => undefined);
        settled(() => resolve(answer));
      });
      sent.on('error', (thrown) => settled(() => reject(fault(thrown, request, signal))));
    });
  }

  return {
    server,
    open: async (request, credentials, signal) =>
      await open(agents.watches, request, credentials, signal),
    send: async (request, credentials, signal) => {
      const answer = await open(agents.calls, request, credentials, signal);
      try {
        return await readResponse(answer, request.doing, limits);
      } catch (thrown) {
        throw requestError(thrown, { server, doing: request.doing }, signal);
      }
    },
    upgrade: async (request, credentials, headers, signal) =>
      await new Promise((resolve, reject) => {
        const sent = start(agents.watches, request, credentials, signal, headers);
        sent.setTimeout(limits.answerMs, () =>
          sent.destroy(new Error(`no response within ${limits.answerMs / 1000} s`)),
        );
        sent.once('upgrade', (_, socket: Duplex, first: Buffer) => {
          sent.setTimeout(0);
          resolve({ socket, first });
        });
        sent.once('response', (answer) => resolve(readResponse(answer, request.doing, limits)));
        sent.on('error', (thrown) => reject(fault(thrown, request, signal)));
      }),
    close: () => {
      agents.calls.destroy();
      agents.watches.destroy();
    },
  };
}

/**
 * Watches have their own agent: they keep their connections and could use up the limit of other
 * calls.
 */
function openAgents(
  isTls: boolean,
  proxyEnv: NodeJS.ProcessEnv,
): Readonly<Record<'calls' | 'watches', HttpAgent>> {
  const options = {
    keepAlive: true,
    keepAliveMsecs: 15_000,
    scheduling: 'lifo',
    proxyEnv,
  } as const;
  const newAgent = (maxSockets: number): HttpAgent =>
    isTls
      ? new HttpsAgent({ ...options, maxSockets, rejectUnauthorized: true })
      : new HttpAgent({ ...options, maxSockets });
  return { calls: newAgent(MOST_CALLS), watches: newAgent(Number.POSITIVE_INFINITY) };
}

function impersonation(as: Connection['impersonate']): Readonly<Record<string, string | string[]>> {
  if (as === undefined) return {};
  return {
    'impersonate-user': as.user,
    ...(as.groups.length > 0 ? { 'impersonate-group': [...as.groups] } : {}),
  };
}

/** Reads a complete response within the limits. */
export async function readResponse(
  answer: IncomingMessage,
  doing: string,
  limits: TransportLimits = TRANSPORT_LIMITS,
): Promise<ApiResponse> {
  let size = 0;
  answer.on('data', (part: Buffer) => {
    size += part.length;
    if (size > limits.answerBytes) answer.destroy(responseTooLarge(doing, limits.answerBytes));
  });
  answer.setTimeout(limits.idleMs, () =>
    answer.destroy(new Error(`no data received for ${limits.idleMs / 1000} s`)),
  );
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}
