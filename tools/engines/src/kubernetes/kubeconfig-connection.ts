import { isAbsolute, join } from 'node:path';
import { messageOf, nearest } from '#core';
import { isLoopback, type Connection, type CredentialSource, type TlsSettings } from './connection.ts';
import { execCredentials } from './exec-credentials.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { pairFault, pemFault } from './pem-fault.ts';
import { readPlainFile } from './read-plain-file.ts';
import type { Entry, Kubeconfig } from './read-kubeconfig.ts';
import { fileCredentials, fixedCredentials } from './token-credentials.ts';

export interface ContextOptions {
  /** Default: the current one. */
  readonly context?: string;
}

const UNSUPPORTED = ['auth-provider', 'username', 'password', 'as-uid', 'as-user-extra'];

/** The connection that a context of a kubeconfig describes. Raises `cluster-config`, also for a server that nobody could tell from another. */
export function kubeconfigConnection(config: Kubeconfig, { context = config.currentContext }: ContextOptions): Connection {
  const where = config.files.join(', ');
  if (context === undefined)
    throw kubeconfigError(`${where} names no current context`, `name one of: ${[...config.contexts.keys()].join(', ') || 'there is none'}`);
  const { value } = find(config.contexts, context, 'context', where);
  const cluster = find(config.clusters, text(value['cluster']) ?? '', 'cluster', where);
  const user = text(value['user']) === undefined ? undefined : find(config.users, text(value['user']) as string, 'user', where);
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
    ...(namespace === undefined ? {} : { namespace }),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
    ...(as === undefined ? {} : { impersonate: { user: as, groups: texts(user?.value['as-groups']) } }),
    credentials: user === undefined ? fixedCredentials({}) : credentialsOf(user, cluster, { server: server.href, tls }),
  };
}

function find(entries: ReadonlyMap<string, Entry>, name: string, what: string, where: string): Entry {
  const found = entries.get(name);
  if (found !== undefined) return found;
  const near = nearest(name, [...entries.keys()]);
  throw kubeconfigError(
    `${where}: there is no ${what} "${name}"`,
    near === undefined ? `it has: ${[...entries.keys()].join(', ') || 'none'}` : `did you mean "${near}"?`,
  );
}

function serverOf({ value, file }: Entry): URL {
  const server = text(value['server']) ?? '';
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !['https:', 'http:'].includes(url.protocol) || url.username !== '' || url.search !== '') {
    throw kubeconfigError(`${file}: "${server}" is not the address of a server`, 'server: https://HOST:PORT');
  }
  return url;
}

function tlsOf(cluster: Entry): TlsSettings {
  const ca = pem(cluster, 'certificate-authority');
  const serverName = text(cluster.value['tls-server-name']);
  return { ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
}

function refuseInsecure(server: URL, { value, file }: Entry, context: string): void {
  const of = `the server of context "${context}"`;
  if (server.protocol === 'http:' && !isLoopback(server.hostname))
    throw kubeconfigError(`${of} is asked without TLS`, `give its https address in ${file}: beyond this machine, no server is asked without TLS`);
  if (value['insecure-skip-tls-verify'] !== true) return;
  throw kubeconfigError(
    `${of} has a certificate that nobody checks`,
    `take insecure-skip-tls-verify out of ${file} and give its certificate-authority; where its certificate has another name, give that as tls-server-name`,
  );
}

function proxyOf({ value, file }: Entry): string | undefined {
  const proxy = text(value['proxy-url']);
  if (proxy === undefined) return undefined;
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  throw kubeconfigError(`${file}: proxy-url is not the address of an HTTP proxy`, 'http://HOST:PORT; SOCKS is not spoken here');
}

function credentialsOf(user: Entry, cluster: Entry, asked: { readonly server: string; readonly tls: TlsSettings }): CredentialSource {
  const { value, file } = user;
  const odd = UNSUPPORTED.find((member) => value[member] !== undefined && value[member] !== null);
  if (odd !== undefined) throw kubeconfigError(`${file}: a user with "${odd}" is not understood`, 'use a client certificate, a token, or an exec plugin');
  if (value['exec'] !== undefined && value['exec'] !== null) return execCredentials(user, { ...asked, extensions: cluster.value['extensions'] });
  const certificate = pem(user, 'client-certificate');
  const key = pem(user, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) throw kubeconfigError(`${file}: a user has a client certificate or its key, but not both`);
  if (certificate !== undefined && key !== undefined) {
    const fault = pairFault(certificate, key);
    if (fault !== undefined) throw kubeconfigError(`${file}: its client-key ${fault}`, 'name the two that were made together');
  }
  const proof = certificate === undefined || key === undefined ? {} : { certificate, key };
  const token = text(value['token']);
  const tokenFile = text(value['tokenFile']);
  if (token === undefined && tokenFile !== undefined) return fileCredentials(pathIn(user, tokenFile), proof);
  return fixedCredentials({ ...proof, ...(token === undefined ? {} : { token }) });
}

function pem(entry: Entry, member: string): string | undefined {
  const found = bytesOf(entry, member);
  const fault = found === undefined ? undefined : pemFault(member === 'client-key' ? 'private key' : 'certificate', found);
  if (fault !== undefined) throw kubeconfigError(`${entry.file}: its ${member} ${fault}`, 'in the kubeconfig itself (-data) it stands in base64');
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
    throw kubeconfigError(`${entry.file}: cannot read its ${member}: ${messageOf(thrown)}`, undefined, thrown);
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
