import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { registerSecret } from '#core';
import type { RegistryLogin } from '#ports';
import { RegistryFault } from './registry-fault.ts';

const USER = 'ccp';

/** A new random login for this run. Its password is redacted in all output. */
export function newLogin(): RegistryLogin {
  const password = randomBytes(32).toString('base64url');
  registerSecret(password);
  registerSecret(encode({ user: USER, password }));
  return { user: USER, password };
}

/** True if the request has the credentials of `login`. */
export function hasLogin(request: IncomingMessage, login: RegistryLogin): boolean {
  const given = /^basic +([A-Za-z0-9+/=_-]{1,512})$/i.exec(request.headers.authorization ?? '');
  return given !== null && isSame(given[1] ?? '', encode(login));
}

/** Throws `RegistryFault` unless the request has the credentials of `login`. */
export function requireLogin(request: IncomingMessage, login: RegistryLogin): void {
  if (hasLogin(request, login)) return;
  throw new RegistryFault(
    401,
    'UNAUTHORIZED',
    'only the ccp run that opened this store can write to it',
    {
      'WWW-Authenticate': 'Basic realm="ccp"',
    },
  );
}

/**
 * Throws `RegistryFault` if the request's Host header is not the served host. This stops DNS
 * rebinding: a web page whose name resolves to this address sends its own name.
 */
export function requireOwnHost(request: IncomingMessage, host: string): void {
  const named = request.headers.host ?? '';
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]+):(\d{1,5})$/i.exec(named);
  const name = match?.[1]?.replace(/^\[|\]$/g, '').toLowerCase() ?? '';
  const isOwnPort = Number(match?.[2]) === request.socket.localPort;
  if (isOwnPort && (name === host || (isWildcard(host) && isIP(name) !== 0))) return;
  throw new RegistryFault(
    403,
    'DENIED',
    `this registry does not serve ${JSON.stringify(named.slice(0, 200))}`,
  );
}

function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function encode({ user, password }: RegistryLogin): string {
  return Buffer.from(`${user}:${password}`).toString('base64');
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
