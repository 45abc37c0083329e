import { join } from 'node:path';
import { CcpError, codeOf, registerSecret } from '#core';
import { readBounded } from '#host';
import type { RegistryCredentials } from '../options.ts';

/** Login files store Docker Hub's credentials under the address of its v1 API. */
const HUB = 'https://index.docker.io/v1/';

/**
 * Credentials by host from the files that `podman login` (`REGISTRY_AUTH_FILE`, `XDG_RUNTIME_DIR`)
 * and `docker login` (`DOCKER_CONFIG`, the home folder) write; the first file with an entry for the
 * host is used. Credential helpers are not run. Throws `credentials-invalid` with the file's path,
 * never its content.
 */
export function loginCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): (host: string) => RegistryCredentials | undefined {
  const files = [
    environment['REGISTRY_AUTH_FILE'],
    environment['XDG_RUNTIME_DIR'] &&
      join(environment['XDG_RUNTIME_DIR'], 'containers', 'auth.json'),
    environment['DOCKER_CONFIG']
      ? join(environment['DOCKER_CONFIG'], 'config.json')
      : environment['HOME'] && join(environment['HOME'], '.docker', 'config.json'),
  ].filter((file): file is string => file !== undefined && file !== '');
  let logins: readonly ReadonlyMap<string, RegistryCredentials>[] | undefined;
  return (host) => {
    logins ??= files.map((file) => readLogins(file));
    const keys = [
      host,
      `https://${host}`,
      ...(/^(?:registry-1\.)?docker\.io$/.test(host) ? [HUB] : []),
    ];
    for (const login of logins) for (const key of keys) if (login.has(key)) return login.get(key);
    return undefined;
  };
}

const MAX_LOGIN_BYTES = 16 << 20;

function readLogins(file: string): ReadonlyMap<string, RegistryCredentials> {
  let text: string;
  try {
    text = readBounded(file, MAX_LOGIN_BYTES).toString();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return new Map();
    throw thrown;
  }
  const logins = new Map<string, RegistryCredentials>();
  for (const [host, entry] of Object.entries(parseAuths(text, file))) {
    const { auth, identitytoken: identityToken } = (entry ?? {}) as {
      auth?: unknown;
      identitytoken?: unknown;
    };
    if (typeof identityToken === 'string' && identityToken !== '') {
      registerSecret(identityToken);
      logins.set(host, { identityToken });
    } else if (typeof auth === 'string' && auth !== '') {
      const [, user = '', password = ''] =
        /^([^:]*):(.*)$/s.exec(Buffer.from(auth, 'base64').toString()) ?? [];
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
    throw new CcpError({
      code: 'credentials-invalid',
      message: `the registry credentials file ${file} is not valid JSON`,
      hint: 'log in again, or remove the file',
    });
  }
}
