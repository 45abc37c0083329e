import { registerSecret } from '#core';
import { proxiedFetch } from '#host';
import type { Credentials, RegistryOptions } from '../options.ts';
import { readLimited } from './read-limited.ts';
import { invalidAnswer, refused } from './registry-error.ts';

/** Finds the Authorization header for a scope such as `repository:a/b:pull`. */
export interface TokenAuth {
  /** What was learnt before for the scope; undefined where nothing is needed as far as is known. */
  known(scope: string): string | undefined;
  /** Answers the challenge of a 401; undefined where there is no way to. Raises `registry-denied`, `registry-invalid`. */
  answer(scope: string, challenge: string): Promise<string | undefined>;
}

/** Token and basic authentication against one registry. A password is sent to HTTPS or loopback only. */
export function tokenAuth(host: string, credentials: RegistryOptions['credentials']): TokenAuth {
  const headers = new Map<string, string>();
  return {
    known: (scope) => headers.get(scope),
    async answer(scope, challenge) {
      const login = credentials?.(host);
      const header = await authorize(host, scope, challenge, login);
      if (header !== undefined) headers.set(scope, header);
      return header;
    },
  };
}

/** True for a URL that no one between can read or change. */
export function isTrustworthy(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname));
}

async function authorize(host: string, scope: string, challenge: string, login: Credentials | undefined): Promise<string | undefined> {
  const scheme = /^\s*(\w+)/.exec(challenge)?.[1]?.toLowerCase();
  if (scheme === 'basic') return login !== undefined && 'user' in login ? basic(login.user, login.password) : undefined;
  if (scheme !== 'bearer') return undefined;
  const parameters = new Map([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key.toLowerCase(), value]));
  const realm = URL.parse(parameters.get('realm') ?? '');
  if (realm === null || !isTrustworthy(realm)) throw invalidAnswer(host, 'a request', 'it names no safe place to get a token from');
  const service = parameters.get('service');
  const token = await requestToken(realm, { scope, ...(service === undefined ? {} : { service }) }, login, host);
  registerSecret(token);
  return `Bearer ${token}`;
}

async function requestToken(realm: URL, query: Readonly<Record<string, string>>, login: Credentials | undefined, host: string): Promise<string> {
  let response: Response;
  const common = { redirect: 'error' as const, signal: AbortSignal.timeout(30_000) };
  if (login !== undefined && 'identityToken' in login) {
    const body = new URLSearchParams({ ...query, grant_type: 'refresh_token', client_id: 'ccp', refresh_token: login.identityToken });
    response = await proxiedFetch(realm, { ...common, method: 'POST', body });
  } else {
    for (const [key, value] of Object.entries(query)) realm.searchParams.set(key, value);
    response = await proxiedFetch(realm, { ...common, ...(login === undefined ? {} : { headers: { Authorization: basic(login.user, login.password) } }) });
  }
  const what = `give a token for ${query['scope']}`;
  const text = (await readLimited(response, 1 << 20, realm.host, what)).toString();
  if (!response.ok) throw refused(host, what, response.status, text);
  const answer = parseToken(text);
  if (answer === undefined) throw invalidAnswer(realm.host, what, 'its answer holds no token');
  return answer;
}

function parseToken(text: string): string | undefined {
  try {
    const { token, access_token: access } = JSON.parse(text) as { token?: unknown; access_token?: unknown };
    const found = token ?? access;
    return typeof found === 'string' && /^[\x21-\x7e]+$/.test(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function basic(user: string, password: string): string {
  const encoded = Buffer.from(`${user}:${password}`).toString('base64');
  registerSecret(password);
  registerSecret(encoded);
  return `Basic ${encoded}`;
}
