import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isRecord, messageOf, redact, registerSecret } from '#core';
import type { Credentials, CredentialSource, TlsSettings } from './connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { pairFault, pemFault } from './pem-fault.ts';
import type { Entry, Mapping } from './read-kubeconfig.ts';

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const LONGEST_MS = 60_000;
const LARGEST = 1024 * 1024;
const EARLY_MS = 30_000;
/** Of what a plugin told on its stderr. */
const LAST_LINES = 8;
const LONGEST_LINE = 300;

/** The cluster as a plugin that asks for it is told. */
export interface PluginCluster {
  readonly server: string;
  readonly tls: TlsSettings;
  readonly extensions: unknown;
}

interface Plugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly withCluster: boolean;
  readonly installHint: string | undefined;
}

/**
 * Credentials from a program that the kubeconfig names (client.authentication.k8s.io/v1). It runs without a terminal, is given
 * 60 s and asked again shortly before what it gave expires. Raises `cluster-config`, with the end of what it told on its stderr; its
 * stdout, where tokens are, is never part of an error.
 */
export function execCredentials(user: Entry, cluster: PluginCluster): CredentialSource {
  const plugin = pluginOf(user);
  let running: Promise<{ readonly credentials: Credentials; readonly until: number }> | undefined;
  return {
    get: async ({ refresh = false } = {}) => {
      const kept = await running?.catch(() => undefined);
      if (kept === undefined || refresh || Date.now() > kept.until) running = runPlugin(plugin, cluster);
      return (await (running as NonNullable<typeof running>)).credentials;
    },
  };
}

function pluginOf({ value, file, folder }: Entry): Plugin {
  const exec = value['exec'];
  if (!isRecord(exec) || typeof exec['command'] !== 'string') throw kubeconfigError(`${file}: a user's exec names no command`);
  const apiVersion = String(exec['apiVersion']);
  if (!VERSIONS.includes(apiVersion)) throw kubeconfigError(`${file}: exec plugins of ${apiVersion} are not understood`, `use one that speaks ${VERSIONS[0]}`);
  if (exec['interactiveMode'] === 'Always')
    throw kubeconfigError(`${file}: the exec plugin ${exec['command']} must talk to a person`, 'sign in with it first, and use a context with a token');
  const command = exec['command'];
  const list = (member: string) => (Array.isArray(exec[member]) ? (exec[member] as readonly unknown[]) : []);
  return {
    apiVersion,
    command: command.includes('/') && !command.startsWith('/') ? join(folder, command) : command,
    args: list('args').map(String),
    environment: Object.fromEntries(
      list('env')
        .filter(isRecord)
        .map(({ name, value: each }) => [String(name), String(each)]),
    ),
    withCluster: exec['provideClusterInfo'] === true,
    installHint: typeof exec['installHint'] === 'string' ? exec['installHint'].trim() : undefined,
  };
}

async function runPlugin(plugin: Plugin, cluster: PluginCluster): Promise<{ readonly credentials: Credentials; readonly until: number }> {
  const output = await new Promise<string>((resolve, reject) => {
    const env = { ...process.env, ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(askedOf(plugin, cluster)) };
    const child = execFile(plugin.command, [...plugin.args], { env, timeout: LONGEST_MS, maxBuffer: LARGEST, encoding: 'utf8' }, (failed, stdout, stderr) => {
      if (failed === null) resolve(stdout);
      else reject(kubeconfigError([`the exec plugin ${plugin.command} failed: ${reasonOf(failed)}`, ...endOf(stderr)].join('\n  | '), hintOf(plugin, failed)));
    });
    child.stdin?.end();
  });
  return readAnswer(plugin, output);
}

function askedOf({ apiVersion, withCluster }: Plugin, { server, tls, extensions }: PluginCluster): Mapping {
  const config = Array.isArray(extensions)
    ? extensions.filter(isRecord).find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension']
    : undefined;
  const told = {
    server,
    'tls-server-name': tls.serverName,
    'certificate-authority-data': tls.ca === undefined ? undefined : Buffer.from(tls.ca).toString('base64'),
    config,
  };
  return { apiVersion, kind: 'ExecCredential', spec: { interactive: false, ...(withCluster ? { cluster: told } : {}) } };
}

function readAnswer({ command, apiVersion }: Plugin, output: string): { readonly credentials: Credentials; readonly until: number } {
  const wrong = (what: string) => kubeconfigError(`the exec plugin ${command} ${what}`);
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw wrong('did not print JSON');
  }
  if (!isRecord(answer) || answer['kind'] !== 'ExecCredential' || answer['apiVersion'] !== apiVersion)
    throw wrong(`did not print an ExecCredential of ${apiVersion}`);
  const { token, clientCertificateData: certificate, clientKeyData: key, expirationTimestamp } = isRecord(answer['status']) ? answer['status'] : {};
  const isPair = typeof certificate === 'string' && typeof key === 'string';
  if (typeof token !== 'string' && !isPair) throw wrong('gave neither a token nor a client certificate with its key');
  const fault = isPair ? (pemFault('certificate', certificate) ?? pemFault('private key', key) ?? pairFault(certificate, key)) : undefined;
  if (fault !== undefined) throw wrong(`gave a client certificate or a key that ${fault}`);
  if (typeof token === 'string') registerSecret(token);
  const expires = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    credentials: { ...(typeof token === 'string' ? { token } : {}), ...(isPair ? { certificate, key } : {}) },
    until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - EARLY_MS,
  };
}

/** Node's own message for a plugin that a signal ended holds its arguments and all that it told, so it is taken for none that started. */
function reasonOf(failed: ExecFileException): string {
  if (failed.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `it told more than ${LARGEST / 1024} KiB`;
  if (failed.killed === true) return `no answer within ${LONGEST_MS / 1000} s`;
  if (typeof failed.signal === 'string') return `it was ended by ${failed.signal}`;
  if (typeof failed.code === 'number') return `it ended with ${failed.code}`;
  return failed.code === 'ENOENT' ? 'it is not on the PATH' : messageOf(failed);
}

/** The last lines of what a plugin told; without what steers a terminal, and redacted before anything is cut, since half a secret is not known as one. */
function endOf(stderr: string): string[] {
  const lines = redact(stripVTControlCharacters(stderr))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  return lines.slice(-LAST_LINES).map((line) => line.slice(0, LONGEST_LINE));
}

function hintOf(plugin: Plugin, failed: ExecFileException): string {
  return failed.code === 'ENOENT' && plugin.installHint !== undefined
    ? plugin.installHint
    : `run ${plugin.command} by hand, with the arguments of the kubeconfig`;
}
