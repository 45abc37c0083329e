import { readFileSync } from 'node:fs';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { asProxyFault, CcpError, proxiesOf, registerSecret, withIndexLogin } from '#core';
import { SilentError } from './retry.ts';

/** An answer whose body is still to be read; `url` is where redirections led. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly url: string;
  /** Drops the connection, where the body is not wanted. */
  discard(): void;
}

export interface HttpClient {
  /** Raises, as the answer's body does, the system's or the protocol's error, `SilentError`, `http-redirect` where redirections do not end, and the signal's reason. */
  get(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

/** A connection that says nothing for this long is given up. */
const SILENCE_MS = 30_000;
/** So is one that sends less, bytes a second. */
const FLOOR = 100;
const MAX_REDIRECTS = 5;
const CA_VARIABLES = ['SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'NODE_EXTRA_CA_CERTS'];

/**
 * A client for HTTP and HTTPS that keeps connections, goes through the proxies of `env` (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, in
 * either case) and trusts, beside the system's, the certificates that `env` names. Node's fetch takes both from the process alone,
 * and only at its start. Raises `proxy-invalid`.
 */
export function openHttpClient(env: NodeJS.ProcessEnv = process.env, silenceMs = SILENCE_MS): HttpClient {
  proxiesOf(env);
  const agents = new Map<string, HttpAgent>();
  let secureContext: SecureContext | undefined;

  function agentFor({ protocol, hostname }: URL): { readonly agent: HttpAgent; readonly proxy: string | undefined } {
    const used = proxiesOf(env, hostname);
    const isTls = protocol === 'https:';
    const isDirect = Object.keys(used).length === 0;
    const key = `${protocol} ${isDirect}`;
    const options = { keepAlive: true, proxyEnv: { ...used }, timeout: silenceMs };
    const agent = agents.get(key) ?? (isTls ? new HttpsAgent({ ...options, secureContext: (secureContext ??= trust(env)) }) : new HttpAgent(options));
    agents.set(key, agent);
    return { agent, proxy: isTls ? used.https_proxy : used.http_proxy };
  }

  function once(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<IncomingMessage> {
    if (url.password !== '') registerSecret(decodeURIComponent(url.password));
    return new Promise((resolve, reject) => {
      const { agent, proxy } = agentFor(url);
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, { agent, headers, signal });
      let answer: IncomingMessage | undefined;
      request.on('timeout', () => {
        const silence = new SilentError(`it sent nothing for ${silenceMs / 1000} s`);
        answer?.destroy(silence);
        request.destroy(silence);
      });
      request.on('error', (thrown) => reject(asProxyFault(thrown, proxy) as Error));
      request.on('response', (response) => resolve((answer = response)));
      request.end();
    });
  }

  return {
    async get(start, headers, signal) {
      let url = new URL(start);
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const answer = await once(url, { 'accept-encoding': 'identity', 'user-agent': 'ccp', ...headers }, signal);
        const location = answer.headers.location;
        const status = answer.statusCode ?? 0;
        if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
          return { status, headers: answer.headers, body: moving(answer, silenceMs), url: url.href, discard: () => answer.destroy() };
        }
        answer.resume();
        const next = new URL(location, url);
        if (next.protocol !== 'https:' && next.protocol !== 'http:') break;
        url = new URL(withIndexLogin(next.href, url.href));
      }
      throw new CcpError({ code: 'http-redirect', message: `${start} redirects without an end, or out of HTTP`, hint: 'name another mirror in .ccp.yaml' });
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** The body of an answer; raises `SilentError` where less than the floor comes while it is waited for. */
async function* moving(answer: IncomingMessage, silenceMs: number): AsyncGenerator<Uint8Array> {
  let came = 0;
  let waits = true;
  const watch = setInterval(() => {
    if (waits && came < (FLOOR * silenceMs) / 1000) answer.destroy(new SilentError(`it sent less than ${FLOOR} bytes a second`));
    came = 0;
  }, silenceMs);
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      came += chunk.byteLength;
      waits = false;
      yield chunk;
      waits = true;
    }
  } finally {
    clearInterval(watch);
  }
}

/** One context for all connections: reading a hundred certificates for each would cost more than the connection. */
function trust(env: NodeJS.ProcessEnv): SecureContext {
  const ca = [...getCACertificates('default')];
  for (const name of CA_VARIABLES) {
    const file = env[name];
    if (file === undefined || file === '') continue;
    try {
      ca.push(readFileSync(file, 'utf8'));
    } catch (cause) {
      throw new CcpError({
        code: 'ca-unreadable',
        message: `${name} names ${file}, which cannot be read`,
        hint: `let ${name} name a file of PEM certificates, or unset it`,
        cause,
      });
    }
  }
  return createSecureContext({ ca });
}
