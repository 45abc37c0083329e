import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import { CcpError, registerSecret } from '#core';
import { withIndexLogin } from '#formats';
import { asProxyFault, proxiesOf, trustedCertificates } from '#host';
import { asBrokenAnswer, BrokenAnswerError, SilentError } from './retry.ts';

/** A response whose body has not been read; `url` is the address after redirections. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
  readonly url: string;
  /** Closes the connection without reading the body. */
  discard(): void;
}

export interface HttpClient {
  /**
   * Raises the system's or the protocol's error, `SilentError`, `BrokenAnswerError`,
   * `http-redirect` (too many redirections), and the signal's reason; reading the body can raise
   * the same errors.
   */
  get(
    url: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<HttpAnswer>;
  close(): void;
}

/** A connection that sends nothing for this long is closed. */
const SILENCE_MS = 30_000;
/** Minimum rate in bytes per second; a slower connection is closed. */
const FLOOR = 100;
const MAX_REDIRECTS = 5;
const MAX_REDIRECT_BODY = 65_536;

/**
 * A client for HTTP and HTTPS that reuses connections, uses the proxies of `env` (HTTP_PROXY,
 * HTTPS_PROXY, NO_PROXY, in either case) and trusts the certificates that `env` names in addition
 * to the system's. Node's fetch reads both only from the process environment at start. Raises
 * `proxy-invalid`.
 */
export function openHttpClient(
  env: NodeJS.ProcessEnv = process.env,
  silenceMs = SILENCE_MS,
): HttpClient {
  proxiesOf(env);
  const wholeMs = 2 * silenceMs;
  const agents = new Map<string, HttpAgent>();
  let secureContext: SecureContext | undefined;

  function agentFor({ protocol, hostname }: URL): {
    readonly agent: HttpAgent;
    readonly proxy: string | undefined;
  } {
    const used = proxiesOf(env, hostname);
    const isTls = protocol === 'https:';
    const isDirect = Object.keys(used).length === 0;
    const key = `${protocol} ${isDirect}`;
    const options = { keepAlive: true, proxyEnv: { ...used }, timeout: silenceMs };
    const agent =
      agents.get(key) ??
      (isTls
        ? new HttpsAgent({ ...options, secureContext: (secureContext ??= trust(env)) })
        : new HttpAgent(options));
    agents.set(key, agent);
    return { agent, proxy: isTls ? used.https_proxy : used.http_proxy };
  }

  function once(
    url: URL,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    if (url.password !== '') registerSecret(decoded(url.password));
    return new Promise((resolve, reject) => {
      const { agent, proxy } = agentFor(url);
      const request = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
        agent,
        headers,
        signal,
      });
      let answer: IncomingMessage | undefined;
      // The socket's timeout restarts with each byte of a header.
      const header = setTimeout(
        () =>
          request.destroy(
            new SilentError(`it sent no complete response headers within ${wholeMs / 1000} s`),
          ),
        wholeMs,
      );
      request.on('close', () => clearTimeout(header));
      request.on('timeout', () => {
        const silence = new SilentError(`it sent nothing for ${silenceMs / 1000} s`);
        answer?.destroy(silence);
        request.destroy(silence);
      });
      request.on('error', (thrown) => {
        const error = asBrokenAnswer(asProxyFault(thrown, proxy)) as Error;
        // Without this, the body of a started response fails with "aborted" only.
        answer?.destroy(error);
        reject(error);
      });
      request.on('response', (response) => {
        clearTimeout(header);
        resolve((answer = response));
      });
      request.end();
    });
  }

  return {
    async get(start, headers, signal) {
      let url = new URL(start);
      for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
        const answer = await once(
          url,
          { 'accept-encoding': 'identity', 'user-agent': 'ccp', ...headers },
          signal,
        );
        const location = answer.headers.location;
        const status = answer.statusCode ?? 0;
        if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
          return {
            status,
            headers: answer.headers,
            body: watchedBody(answer, silenceMs),
            url: url.href,
            discard: () => answer.destroy(),
          };
        }
        // Reading a short body keeps the connection open; a long body may never end.
        if (Number(answer.headers['content-length'] ?? Infinity) <= MAX_REDIRECT_BODY)
          answer.resume().on('error', () => undefined);
        else answer.destroy();
        const next = URL.parse(location, url.href);
        if (next === null)
          throw new BrokenAnswerError(
            `it redirects to an invalid URL: ${JSON.stringify(location.slice(0, 200))}`,
          );
        if (next.protocol !== 'https:' && next.protocol !== 'http:') break;
        url = new URL(withIndexLogin(next.href, url.href));
      }
      throw new CcpError({
        code: 'http-redirect',
        message: `${start} redirects too often, or to a protocol other than HTTP`,
        hint: 'name another mirror in .ccp.yaml',
      });
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}

/** Decodes a URL's password, which may have invalid escapes in a redirection. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The response body; raises `SilentError` if it arrives slower than the minimum rate while the
 * reader waits.
 */
async function* watchedBody(
  answer: IncomingMessage,
  silenceMs: number,
): AsyncGenerator<Uint8Array> {
  let received = 0;
  let waiting = true;
  const watch = setInterval(() => {
    if (waiting && received < (FLOOR * silenceMs) / 1000)
      answer.destroy(new SilentError(`it sent less than ${FLOOR} bytes per second`));
    received = 0;
  }, silenceMs);
  try {
    for await (const chunk of answer as AsyncIterable<Uint8Array>) {
      received += chunk.byteLength;
      waiting = false;
      yield chunk;
      waiting = true;
    }
  } catch (thrown) {
    throw asBrokenAnswer(thrown);
  } finally {
    clearInterval(watch);
  }
}

/** Built once for all connections: reading about 100 certificates takes longer than connecting. */
function trust(env: NodeJS.ProcessEnv): SecureContext {
  return createSecureContext({ ca: [...trustedCertificates(env)] });
}
