import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** The limit of the platform's `fetch`. */
const MAX_REDIRECTS = 20;
const WITHOUT_BODY = new Set([204, 205, 304]);
/** Headers that only the origin of the request may get. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie'];

/**
 * True for the error of the platform's `fetch` about a port that browsers block, such as 10080 or
 * 6000.
 */
export function isBlockedPort(thrown: unknown): boolean {
  return (
    thrown instanceof TypeError &&
    thrown.cause instanceof Error &&
    thrown.cause.message === 'bad port'
  );
}

/**
 * `fetch` without the list of ports that browsers block: servers on those ports exist. Follows
 * redirections of requests without a body as `redirect` says; another origin gets no credentials.
 * Asks for content without compression.
 */
export const fetchAnyPort: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer());
  let url = new URL(request.url);
  for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
    const answer = await send(url, request, body);
    const { statusCode = 0, statusMessage = '', headers } = answer;
    const { location } = headers;
    const isRedirect = [301, 302, 303, 307, 308].includes(statusCode) && location !== undefined;
    if (!isRedirect || request.redirect === 'manual' || body !== undefined) {
      const stream = WITHOUT_BODY.has(statusCode) || request.method === 'HEAD' ? null : answer;
      if (stream === null) answer.resume();
      const response = new Response(stream && (Readable.toWeb(stream) as ReadableStream), {
        status: statusCode,
        statusText: statusMessage,
        headers: pairs(answer.rawHeaders),
      });
      return Object.defineProperty(response, 'url', { value: url.href });
    }
    answer.destroy();
    if (request.redirect === 'error') throw failed(new Error('unexpected redirect'));
    const next = new URL(location, url);
    if (next.origin !== url.origin) for (const name of CREDENTIALS) request.headers.delete(name);
    url = next;
  }
  throw failed(new Error('redirect count exceeded'));
};

/** The error of the platform's `fetch`. */
function failed(cause: Error): TypeError {
  return new TypeError('fetch failed', { cause });
}

function send(url: URL, request: Request, body: Buffer | undefined): Promise<IncomingMessage> {
  const { method, headers, signal } = request;
  const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = {
      ...Object.fromEntries(headers),
      'accept-encoding': 'identity',
      // A kept connection could have been closed by the server, which would need a retry.
      connection: 'close',
    };
    start(url, { method, headers: sent, signal })
      .on('response', resolve)
      .on('error', (cause) => reject(signal.aborted ? (signal.reason as Error) : failed(cause)))
      .end(body);
  });
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1]!] as [string, string]] : [],
  );
}
