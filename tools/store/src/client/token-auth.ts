import { omitUndefined, registerSecret } from '#core';
import { proxiedFetch } from '#host';
import type { RegistryCredentials, RegistryOptions } from '../options.ts';
import { readLimited } from './read-limited.ts';
import { invalidResponse, requestRefused } from './registry-error.ts';
import { isSafeFor } from './redirect-target.ts';

/** Supplies the Authorization header for a scope such as `repository:a/b:pull`. */
export interface TokenAuth {
  /** The header from an earlier challenge for the scope; undefined if there was none. */
  known(scope: string): string | undefined;
  /**
   * The header that answers the challenge of a 401; undefined if the challenge cannot be answered.
   * Throws `registry-denied`, `registry-invalid`.
   */
  answer(scope: string, challenge: string): Promise<string | undefined>;
}

/** Maximum length of a challenge, in characters. */
const MAX_CHALLENGE = 4096;

/**
 * Token and basic authentication for the registry at `root`. A password is sent only to that
 * registry and to the first token realm it names, by HTTPS, or by plain HTTP on loopback if the
 * registry itself uses that. A different realm in a later challenge is refused.
 */
export function tokenAuth(root: URL, credentials: RegistryOptions['credentials']): TokenAuth {
  const headers = new Map<string, string>();
  let realmOrigin: string | undefined;

  const realmOf = (value: string): URL => {
    const realm = URL.parse(value);
    if (realm === null || !isSafeFor(root, realm))
      throw invalidResponse(
        root.host,
        'authenticate',
        'the token realm must be an HTTPS URL without credentials',
      );
    realmOrigin ??= realm.origin;
    if (realm.origin !== realmOrigin)
      throw invalidResponse(
        root.host,
        'authenticate',
        `the token realm changed from ${realmOrigin} to ${realm.origin}`,
      );
    return realm;
  };

  const authorize = async (scope: string, challenge: string): Promise<string | undefined> => {
    const login = credentials?.(root.host);
    const scheme = /^\s{0,8}(\w{1,32})/.exec(challenge)?.[1]?.toLowerCase();
    if (scheme === 'basic')
      return login !== undefined && 'user' in login ? basic(login.user, login.password) : undefined;
    if (scheme !== 'bearer' || challenge.length > MAX_CHALLENGE) return undefined;
    const parameters = new Map(
      [...challenge.matchAll(/\b(\w{1,64})="([^"]*)"/g)].map(([, key = '', value = '']) => [
        key.toLowerCase(),
        value,
      ]),
    );
    const service = parameters.get('service');
    const token = await requestToken(
      realmOf(parameters.get('realm') ?? ''),
      { scope, ...omitUndefined({ service }) },
      login,
      root.host,
    );
    registerSecret(token);
    return `Bearer ${token}`;
  };

  return {
    known: (scope) => headers.get(scope),
    async answer(scope, challenge) {
      const header = await authorize(scope, challenge);
      if (header !== undefined) headers.set(scope, header);
      return header;
    },
  };
}

async function requestToken(
  realm: URL,
  query: Readonly<Record<string, string>>,
  login: RegistryCredentials | undefined,
  host: string,
): Promise<string> {
  let response: Response;
  const common = { redirect: 'error' as const, signal: AbortSignal.timeout(30_000) };
  if (login !== undefined && 'identityToken' in login) {
    const body = new URLSearchParams({
      ...query,
      grant_type: 'refresh_token',
      client_id: 'ccp',
      refresh_token: login.identityToken,
    });
    response = await proxiedFetch(realm, { ...common, method: 'POST', body });
  } else {
    for (const key of Object.keys(query)) realm.searchParams.delete(key);
    for (const [key, value] of Object.entries(query))
      for (const each of key === 'scope' ? value.split(' ') : [value])
        realm.searchParams.append(key, each);
    response = await proxiedFetch(realm, {
      ...common,
      ...(login === undefined
        ? {}
        : { headers: { Authorization: basic(login.user, login.password) } }),
    });
  }
  const action = `issue a token for ${query['scope']}`;
  const text = (await readLimited(response, 1 << 20, realm.host, action)).toString();
  if (!response.ok) throw requestRefused(host, action, response.status, text);
  const answer = parseToken(text);
  if (answer === undefined)
    throw invalidResponse(realm.host, action, 'the response has no valid token');
  return answer;
}

function parseToken(text: string): string | undefined {
  try {
    const { token, access_token: access } = JSON.parse(text) as {
      token?: unknown;
      access_token?: unknown;
    };
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
