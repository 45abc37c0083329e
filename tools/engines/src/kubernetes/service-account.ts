import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connection } from './connection.ts';
import { fileCredentials } from './token-credentials.ts';

const FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The connection of a pod to its own cluster; `undefined` where this is no pod. */
export function serviceAccountConnection(environment: Readonly<NodeJS.ProcessEnv>, folder: string = FOLDER): Connection | undefined {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (host === undefined || !existsSync(join(folder, 'token'))) return undefined;
  return {
    name: 'in-cluster',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: readFileSync(join(folder, 'namespace'), 'utf8').trim(),
    tls: { ca: readFileSync(join(folder, 'ca.crt'), 'utf8') },
    credentials: fileCredentials(join(folder, 'token')),
  };
}
