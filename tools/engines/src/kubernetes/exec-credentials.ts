import { execFile, type ExecFileException } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { isRecord, messageOf, redact, registerSecret } from '#core';
import type { ApiCredentials, CredentialSource, TlsSettings } from './connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { pairFault, pemFault } from './pem-fault.ts';
import type { Entry, Mapping } from './read-kubeconfig.ts';

const VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const EARLY_MS = 30_000;
/** Part of a plugin's stderr that errors quote. */
const LAST_LINES = 8;
const MAX_LINE = 300;

/** Cluster data for plugins with `provideClusterInfo`. */
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
 * Credentials from a program named in the kubeconfig (client.authentication.k8s.io/v1). It runs
 * without a terminal for at most 60 s, and again shortly before the credentials expire. Throws
 * `cluster-config` with the last lines of its stderr. Its stdout has tokens and is never part of an
 * error.
 */
export function execCredentials(user: Entry, cluster: PluginCluster): CredentialSource {
  const plugin = pluginOf(user);
  let running:
    Promise<{ readonly credentials: ApiCredentials; readonly until: number }> | undefined;
  return {
    get: async ({ refresh = false } = {}) => {
      const kept = await running?.catch(() => undefined);
      if (kept === undefined || refresh || Date.now() > kept.until)
        running = runPlugin(plugin, cluster);
      return (await (running as NonNullable<typeof running>)).credentials;
    },
  };
}

function pluginOf({ value, file, folder }: Entry): Plugin {
  const exec = value['exec'];
  if (!isRecord(exec) || typeof exec['command'] !== 'string')
    throw kubeconfigError(`${file}: the exec section of a user has no command`);
  const apiVersion = String(exec['apiVersion']);
  if (!VERSIONS.includes(apiVersion))
    throw kubeconfigError(
      `${file}: exec plugins with apiVersion ${apiVersion} are not supported`,
      `use an exec plugin with apiVersion ${VERSIONS[0]}`,
    );
  if (exec['interactiveMode'] === 'Always')
    throw kubeconfigError(
      `${file}: the exec plugin ${exec['command']} needs a terminal (interactiveMode: Always)`,
      'sign in with the plugin first, and use a context with a token',
    );
  const command = exec['command'];
  const list = (member: string) =>
    Array.isArray(exec[member]) ? (exec[member] as readonly unknown[]) : [];
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

async function runPlugin(
  plugin: Plugin,
  cluster: PluginCluster,
): Promise<{ readonly credentials: ApiCredentials; readonly until: number }> {
  const output = await new Promise<string>((resolve, reject) => {
    const env = {
      ...process.env,
      ...plugin.environment,
      KUBERNETES_EXEC_INFO: JSON.stringify(execInfo(plugin, cluster)),
    };
    const child = execFile(
      plugin.command,
      [...plugin.args],
      { env, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, encoding: 'utf8' },
      (failed, stdout, stderr) => {
        if (failed === null) resolve(stdout);
        else
          reject(
            kubeconfigError(
              [
                `the exec plugin ${plugin.command} failed: ${reasonOf(failed)}`,
                ...lastLines(stderr),
              ].join('\n  | '),
              hintOf(plugin, failed),
            ),
          );
      },
    );
    child.stdin?.end();
  });
  return readResponse(plugin, output);
}

function execInfo(
  { apiVersion, withCluster }: Plugin,
  { server, tls, extensions }: PluginCluster,
): Mapping {
  const config = Array.isArray(extensions)
    ? extensions
        .filter(isRecord)
        .find(({ name }) => name === 'client.authentication.k8s.io/exec')?.['extension']
    : undefined;
  const clusterInfo = {
    server,
    'tls-server-name': tls.serverName,
    'certificate-authority-data':
      tls.ca === undefined ? undefined : Buffer.from(tls.ca).toString('base64'),
    config,
  };
  return {
    apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(withCluster ? { cluster: clusterInfo } : {}) },
  };
}

function readResponse(
  { command, apiVersion }: Plugin,
  output: string,
): { readonly credentials: ApiCredentials; readonly until: number } {
  const invalid = (fault: string) => kubeconfigError(`the exec plugin ${command} ${fault}`);
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    throw invalid('did not print JSON');
  }
  if (
    !isRecord(answer) ||
    answer['kind'] !== 'ExecCredential' ||
    answer['apiVersion'] !== apiVersion
  )
    throw invalid(`did not print an ExecCredential with apiVersion ${apiVersion}`);
  const {
    token,
    clientCertificateData: certificate,
    clientKeyData: key,
    expirationTimestamp,
  } = isRecord(answer['status']) ? answer['status'] : {};
  const isPair = typeof certificate === 'string' && typeof key === 'string';
  if (typeof token !== 'string' && !isPair)
    throw invalid('returned neither a token nor a client certificate with its key');
  const fault = isPair
    ? (pemFault('certificate', certificate) ??
      pemFault('private key', key) ??
      pairFault(certificate, key))
    : undefined;
  if (fault !== undefined)
    throw invalid(`returned an invalid client certificate or key: it ${fault}`);
  if (typeof token === 'string') registerSecret(token);
  const expires =
    typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.NaN;
  return {
    credentials: {
      ...(typeof token === 'string' ? { token } : {}),
      ...(isPair ? { certificate, key } : {}),
    },
    until: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires - EARLY_MS,
  };
}

/** Node's message for a terminated plugin is not used: it contains the arguments and the output. */
function reasonOf(failed: ExecFileException): string {
  if (failed.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return `it printed more than ${MAX_OUTPUT_BYTES / 1024} KiB`;
  if (failed.killed === true) return `it did not finish within ${TIMEOUT_MS / 1000} s`;
  if (typeof failed.signal === 'string') return `it was terminated by ${failed.signal}`;
  if (typeof failed.code === 'number') return `it exited with code ${failed.code}`;
  return failed.code === 'ENOENT' ? 'it was not found in PATH' : messageOf(failed);
}

/**
 * The last lines of a plugin's stderr without terminal control sequences. The whole text is
 * redacted before lines are shortened: part of a secret would not be recognised.
 */
function lastLines(stderr: string): string[] {
  const lines = redact(stripVTControlCharacters(stderr))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '');
  return lines.slice(-LAST_LINES).map((line) => line.slice(0, MAX_LINE));
}

function hintOf(plugin: Plugin, failed: ExecFileException): string {
  return failed.code === 'ENOENT' && plugin.installHint !== undefined
    ? plugin.installHint
    : `run ${plugin.command} manually with the arguments in the kubeconfig`;
}
