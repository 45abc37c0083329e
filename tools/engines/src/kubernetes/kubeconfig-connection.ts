import { isAbsolute, join } from 'node:path';
import { messageOf, nearest, omitUndefined } from '#core';
import {
  isLoopbackHost,
  type Connection,
  type CredentialSource,
  type TlsSettings,
} from './connection.ts';
import { execCredentials } from './exec-credentials.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { pairFault, pemFault } from './pem-fault.ts';
import { readPlainFile } from './read-plain-file.ts';
import type { Entry, Kubeconfig } from './read-kubeconfig.ts';
import { fileCredentials, fixedCredentials } from './token-credentials.ts';

export interface ContextOptions {
  /** Default: the current context. */
  readonly context?: string;
}

const UNSUPPORTED = ['auth-provider', 'username', 'password', 'as-uid', 'as-user-extra'];

/**
 * The connection of a kubeconfig's context. Throws `cluster-config`, also for insecure connections.
 */
export function kubeconfigConnection(
  config: Kubeconfig,
  { context = config.currentContext }: ContextOptions,
): Connection {
  const where = config.files.join(', ');
  if (context === undefined)
    throw kubeconfigError(
      `${where}: current-context is not set`,
      config.contexts.size === 0
        ? 'add a context to the kubeconfig'
        : `set it to one of: ${[...config.contexts.keys()].join(', ')}`,
    );
  const { value } = find(config.contexts, context, 'context', where);
  const cluster = find(config.clusters, text(value['cluster']) ?? '', 'cluster', where);
  const user =
    text(value['user']) === undefined
      ? undefined
      : find(config.users, text(value['user']) as string, 'user', where);
  const server = serverOf(cluster);
  refuseInsecure(server, cluster, context);
  const tls = tlsOf(cluster);
  const namespace = text(value['namespace']);
  const proxyUrl = proxyOf(cluster);
  const as = text(user?.value['as']);
  return {
    name: context,
    server: server.href.replace(/\/$/, ''),
    tls,
    ...omitUndefined({ namespace }),
    ...omitUndefined({ proxyUrl }),
    ...(as === undefined
      ? {}
      : { impersonate: { user: as, groups: texts(user?.value['as-groups']) } }),
    credentials:
      user === undefined
        ? fixedCredentials({})
        : credentialsOf(user, cluster, { server: server.href, tls }),
  };
}

function find(
  entries: ReadonlyMap<string, Entry>,
  name: string,
  label: string,
  where: string,
): Entry {
  const found = entries.get(name);
  if (found !== undefined) return found;
  const near = nearest(name, [...entries.keys()]);
  throw kubeconfigError(
    `${where}: ${label} "${name}" not found`,
    near === undefined
      ? `use one of: ${[...entries.keys()].join(', ') || `(the file has no ${label}s)`}`
      : `did you mean "${near}"?`,
  );
}

function serverOf({ value, file }: Entry): URL {
  const server = text(value['server']) ?? '';
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (
    url === undefined ||
    !['https:', 'http:'].includes(url.protocol) ||
    url.username !== '' ||
    url.search !== ''
  ) {
    throw kubeconfigError(
      `${file}: "${server}" is not a valid server address`,
      'use the form https://HOST:PORT',
    );
  }
  return url;
}

function tlsOf(cluster: Entry): TlsSettings {
  const ca = pem(cluster, 'certificate-authority');
  const serverName = text(cluster.value['tls-server-name']);
  return {
    ...omitUndefined({ ca }),
    ...omitUndefined({ serverName }),
  };
}

function refuseInsecure(server: URL, { value, file }: Entry, context: string): void {
  const of = `the server of context "${context}"`;
  if (server.protocol === 'http:' && !isLoopbackHost(server.hostname))
    throw kubeconfigError(
      `${of} has an http address: ccp connects to other machines only with TLS`,
      `set its https address in ${file}`,
    );
  if (value['insecure-skip-tls-verify'] !== true) return;
  throw kubeconfigError(
    `${of} is used without certificate verification (insecure-skip-tls-verify)`,
    `remove insecure-skip-tls-verify from ${file} and set certificate-authority; if the certificate has another name, set tls-server-name`,
  );
}

function proxyOf({ value, file }: Entry): string | undefined {
  const proxy = text(value['proxy-url']);
  if (proxy === undefined) return undefined;
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  throw kubeconfigError(
    `${file}: proxy-url is not the address of an HTTP proxy`,
    'use the form http://HOST:PORT; SOCKS proxies are not supported',
  );
}

function credentialsOf(
  user: Entry,
  cluster: Entry,
  connection: { readonly server: string; readonly tls: TlsSettings },
): CredentialSource {
  const { value, file } = user;
  const unsupported = UNSUPPORTED.find(
    (member) => value[member] !== undefined && value[member] !== null,
  );
  if (unsupported !== undefined)
    throw kubeconfigError(
      `${file}: users with "${unsupported}" are not supported`,
      'use a client certificate, a token, or an exec plugin',
    );
  if (value['exec'] !== undefined && value['exec'] !== null)
    return execCredentials(user, { ...connection, extensions: cluster.value['extensions'] });
  const certificate = pem(user, 'client-certificate');
  const key = pem(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined))
    throw kubeconfigError(`${file}: a user has only one of client-certificate and client-key`);
  if (certificate !== undefined && key !== undefined) {
    const fault = pairFault(certificate, key);
    if (fault !== undefined)
      throw kubeconfigError(
        `${file}: client-key ${fault}`,
        'use the key that belongs to the certificate',
      );
  }
  const proof = certificate === undefined || key === undefined ? {} : { certificate, key };
  const token = text(value['token']);
  const tokenFile = text(value['tokenFile']);
  if (token === undefined && tokenFile !== undefined)
    return fileCredentials(pathIn(user, tokenFile), proof);
  return fixedCredentials({ ...proof, ...omitUndefined({ token }) });
}

function pem(entry: Entry, member: string): string | undefined {
  const found = bytesOf(entry, member);
  const fault =
    found === undefined
      ? undefined
      : pemFault(member === 'client-key' ? 'private key' : 'certificate', found);
  if (fault !== undefined)
    throw kubeconfigError(`${entry.file}: ${member} ${fault}`, `encode ${member}-data in base64`);
  return found;
}

function bytesOf(entry: Entry, member: string): string | undefined {
  const data = text(entry.value[`${member}-data`]);
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  const path = text(entry.value[member]);
  if (path === undefined) return undefined;
  try {
    return readPlainFile(pathIn(entry, path));
  } catch (thrown) {
    throw kubeconfigError(
      `${entry.file}: cannot read ${member}: ${messageOf(thrown)}`,
      undefined,
      thrown,
    );
  }
}

function pathIn({ folder }: Entry, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}
