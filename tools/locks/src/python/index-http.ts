import { CcpError, INDEX_ACCEPT, messageOf, withIndexLogin } from '#core';

/** `fetch` of the platform, or a wrapper with the project's proxies, authorities and retries. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface IndexAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Where redirections led. */
  readonly url: string;
  /** Empty where the status is no success. */
  readonly bytes: Uint8Array;
}

/** One whole answer; `limit` is in bytes. */
export interface IndexHttp {
  /** Raises `python-index-failed` where no attempt brings a whole answer, or one that is too long; `cancelled`. */
  ask(method: 'GET' | 'HEAD', url: string, options?: { readonly accept?: string; readonly limit?: number }): Promise<IndexAnswer>;
}

export interface IndexHttpOptions {
  /** URLs of the indexes, with the logins they need. */
  readonly urls: () => readonly string[];
  readonly fetch: Fetch;
  readonly signal?: AbortSignal | undefined;
  /** Time before the second attempt; it doubles from then on. */
  readonly baseMs?: number;
}

const ATTEMPTS = 4;
const TIMEOUT_MS = 120_000;

/** Asks indexes and the hosts of their files; an attempt fails where the body breaks off, too. */
export function openIndexHttp({ urls, fetch, signal, baseMs = 500 }: IndexHttpOptions): IndexHttp {
  /** The platform's fetch refuses a login inside a URL. */
  const authorised = (url: string): { readonly url: string; readonly authorization?: string } => {
    const asked = new URL(urls().reduce(withIndexLogin, url));
    const { username, password } = asked;
    asked.username = asked.password = '';
    if (username === '' && password === '') return { url: asked.href };
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    return { url: asked.href, authorization: `Basic ${login}` };
  };

  const attempt = async (method: string, target: string, accept: string, limit: number): Promise<IndexAnswer | Error> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS);
    const { url, ...login } = authorised(target);
    const response = await fetch(url, {
      method,
      headers: { accept, 'accept-encoding': accept === INDEX_ACCEPT ? 'gzip' : 'identity', ...login },
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    const { status, headers } = response;
    if (!response.ok) await response.body?.cancel();
    if (status >= 500 || status === 429) return new Error(`it answered ${status}`);
    const bytes = response.ok ? await bytesOf(response, limit, target) : new Uint8Array();
    return { status, headers, url: response.url === '' ? url : response.url, bytes };
  };

  return {
    ask: async (method, url, { accept = '*/*', limit = 0 } = {}) => {
      for (let tries = 1; ; tries++) {
        const answer = await attempt(method, url, accept, limit).catch((thrown: unknown) => {
          if (thrown instanceof CcpError) throw thrown;
          return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : new Error(messageOf(thrown), { cause: thrown });
        });
        if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
        if (!(answer instanceof Error)) return answer;
        if (tries === ATTEMPTS) {
          throw new CcpError({
            code: 'python-index-failed',
            message: `${url} could not be read: ${messageOf(answer)}`,
            hint: 'check the index in pip or uv configuration or in .ccp.yaml, and the proxy',
            cause: answer,
          });
        }
        await new Promise((resolve) => setTimeout(resolve, baseMs * 2 ** (tries - 1) * (0.5 + Math.random())));
      }
    },
  };
}

async function bytesOf(response: Response, limit: number, what: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let total = 0;
  for await (const chunk of response.body ?? []) {
    total += chunk.byteLength;
    if (total > limit) throw new CcpError({ code: 'python-index-failed', message: `${what} is longer than ${limit} bytes` });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
