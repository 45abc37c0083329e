import { join } from 'node:path';
import { CcpError, codeOf, isRecord, registerSecret } from '#core';
import { readBounded } from '#host';
import type { RegistryCredentials } from '../options.ts';
import { askHelper } from './credential-helper.ts';

/** Login files store Docker Hub's credentials under the address of its v1 API. */
const HUB = 'https://index.docker.io/v1/';

/**
 * Credentials by host from the files that `podman login` (`REGISTRY_AUTH_FILE`, `XDG_RUNTIME_DIR`)
 * and `docker login` (`DOCKER_CONFIG`, the home folder) write; the first file with an entry for the
 * host is used. In each file, the host's credential helper comes first, then its entry, then the
 * helper for all hosts. Throws `credentials-invalid` with the file's path, never its content.
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
  let logins: readonly LoginFile[] | undefined;
  const found = new Map<string, RegistryCredentials | undefined>();
  const find = (host: string): RegistryCredentials | undefined => {
    logins ??= files.map((file) => readLogins(file));
    const isHub = /^(?:registry-1\.)?docker\.io$/.test(host);
    const keys = [host, `https://${host}`, ...(isHub ? [HUB] : [])];
    for (const { entries, helpers, helper } of logins) {
      const own = keys.find((key) => helpers.has(key));
      const known =
        (own === undefined ? undefined : askHelper(helpers.get(own)!, own, environment)) ??
        keys.map((key) => entries.get(key)).find((entry) => entry !== undefined) ??
        (helper === undefined || own !== undefined
          ? undefined
          : askHelper(helper, isHub ? HUB : host, environment, true));
      if (known !== undefined) return known;
    }
    return undefined;
  };
  return (host) => {
    if (!found.has(host)) found.set(host, find(host));
    return found.get(host);
  };
}

/** The content of a login file. */
interface LoginFile {
  readonly entries: ReadonlyMap<string, RegistryCredentials>;
  /** Host -> name of its credential helper. */
  readonly helpers: ReadonlyMap<string, string>;
  /** The helper for all other hosts. */
  readonly helper?: string;
}

const MAX_LOGIN_BYTES = 16 << 20;

function readLogins(file: string): LoginFile {
  let text: string;
  try {
    text = readBounded(file, MAX_LOGIN_BYTES).toString();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return { entries: new Map(), helpers: new Map() };
    throw thrown;
  }
  const logins = new Map<string, RegistryCredentials>();
  const { auths, credHelpers, credsStore } = parseLogins(text, file);
  for (const [host, entry] of Object.entries(isRecord(auths) ? auths : {})) {
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
  const helpers = Object.entries(isRecord(credHelpers) ? credHelpers : {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    entries: logins,
    helpers: new Map(helpers),
    ...(typeof credsStore === 'string' && credsStore !== '' ? { helper: credsStore } : {}),
  };
}

function parseLogins(text: string, file: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : {};
  } catch {
    throw new CcpError({
      code: 'credentials-invalid',
      message: `the registry credentials file ${file} is not valid JSON`,
      hint: 'log in again, or remove the file',
    });
  }
}
