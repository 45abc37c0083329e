import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { readPlainFile } from './read-plain-file.ts';
import { fileCredentials } from './token-credentials.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The connection of a pod to its cluster; `undefined` outside a pod. */
export function serviceAccountConnection(
  environment: Readonly<NodeJS.ProcessEnv>,
  folder: string = FOLDER,
): Connection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || !existsSync(join(folder, 'token'))) return undefined;
  return {
    name: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: readPlainFile(join(folder, 'namespace')).trim(),
    tls: { ca: readPlainFile(join(folder, 'ca.crt')) },
    credentials: fileCredentials(join(folder, 'token')),
  };
}
