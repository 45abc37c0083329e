import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, registerSecret } from '#core';
import type { Credentials } from '../options.ts';

/** Docker Hub's credentials stand under the address of its first API. */
const HUB = 'https://index.docker.io/v1/';

/**
 * Credentials by host from the files that `podman login` (`REGISTRY_AUTH_FILE`, `XDG_RUNTIME_DIR`) and `docker login`
 * (`DOCKER_CONFIG`, the home folder) write; the first that has the host wins. Helpers are not run. Raises
 * `credentials-invalid` naming the file, never what is in it.
 */
export function loginCredentials(environment: Readonly<Record<string, string | undefined>>): (host: string) => Credentials | undefined {
  const files = [
    environment['REGISTRY_AUTH_FILE'],
    environment['XDG_RUNTIME_DIR'] && join(environment['XDG_RUNTIME_DIR'], 'containers', 'auth.json'),
    environment['DOCKER_CONFIG']
      ? join(environment['DOCKER_CONFIG'], 'config.json')
      : environment['HOME'] && join(environment['HOME'], '.docker', 'config.json'),
  ].filter((file): file is string => file !== undefined && file !== '');
  let logins: readonly ReadonlyMap<string, Credentials>[] | undefined;
  return (host) => {
    logins ??= files.map((file) => readLogins(file));
    const keys = [host, `https://${host}`, ...(/^(?:registry-1\.)?docker\.io$/.test(host) ? [HUB] : [])];
    for (const login of logins) for (const key of keys) if (login.has(key)) return login.get(key);
    return undefined;
  };
}

function readLogins(file: string): ReadonlyMap<string, Credentials> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return new Map();
    throw thrown;
  }
  const logins = new Map<string, Credentials>();
  for (const [host, entry] of Object.entries(parseAuths(text, file))) {
    const { auth, identitytoken: identityToken } = (entry ?? {}) as { auth?: unknown; identitytoken?: unknown };
    if (typeof identityToken === 'string' && identityToken !== '') {
      registerSecret(identityToken);
      logins.set(host, { identityToken });
    } else if (typeof auth === 'string' && auth !== '') {
      const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
      registerSecret(password);
      registerSecret(auth);
      logins.set(host, { user, password });
    }
  }
  return logins;
}

function parseAuths(text: string, file: string): object {
  try {
    const { auths } = JSON.parse(text) as { auths?: unknown };
    return typeof auths === 'object' && auths !== null ? auths : {};
  } catch {
    throw new CcpError({ code: 'credentials-invalid', message: `${file} is not JSON`, hint: 'log in again, or remove the file' });
  }
}
