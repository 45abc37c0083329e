import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster } from '#ports';
import { namespace } from './node-cluster.ts';

/**
 * The writer's results since the last reset; `gap` is the longest time without a commit, in
 * seconds.
 */
export interface WriterReport {
  readonly rows: number;
  readonly gap: number;
  readonly errors: number;
  /** Rows that the request after their commit did not see. */
  readonly stale: number;
  /** The last error. */
  readonly text: string;
}

/**
 * A pod that writes rows through the database's Service. A row counts once its commit was answered.
 */
export interface DatabaseClient {
  reset(): Promise<void>;
  report(): Promise<WriterReport>;
  /** Committed rows that a member does not have. */
  missing(host: string): Promise<readonly number[]>;
  /** Rows of the last statement, on a member or through the Service. Throws the server's error. */
  query(sql: string | readonly string[], host?: string): Promise<readonly (readonly unknown[])[]>;
  /** Six writers of one row: commits, and errors by code. */
  contend(mode: 'update' | 'select', seconds: number): Promise<Readonly<Record<string, number>>>;
}

const NAME = 'database-client';
const READY_MS = 120_000;
const PROGRAM = readFileSync(new URL('database-client.py', import.meta.url), 'utf8');

/**
 * Starts the client in the site's namespace, with a policy that lets it connect to the database.
 */
export async function startDatabaseClient(
  cluster: Cluster,
  image: string,
): Promise<DatabaseClient> {
  const labels = { app: NAME };
  const manager = { fieldManager: 'test' };
  await cluster.apply(
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: NAME, namespace },
      spec: {
        podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'mariadb' } },
        policyTypes: ['Ingress'],
        ingress: [{ from: [{ podSelector: { matchLabels: labels } }], ports: [{ port: 3306 }] }],
      },
    },
    manager,
  );
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: NAME, namespace, labels },
      spec: {
        terminationGracePeriodSeconds: 0,
        containers: [
          {
            name: 'client',
            image,
            command: ['/opt/openstack/bin/python', '-c', PROGRAM],
            env: [
              { name: 'SERVICE', value: 'mariadb' },
              {
                name: 'PASSWORD',
                valueFrom: { secretKeyRef: { name: 'mariadb-root', key: 'password' } },
              },
            ],
            securityContext: {
              allowPrivilegeEscalation: false,
              capabilities: { drop: ['ALL'] },
              runAsNonRoot: true,
              runAsUser: 42499,
              seccompProfile: { type: 'RuntimeDefault' },
            },
          },
        ],
      },
    },
    manager,
  );
  const address = async (): Promise<string | undefined> => {
    const pod = await cluster.get({ apiVersion: 'v1', kind: 'Pod', name: NAME, namespace });
    return (pod?.['status'] as { readonly podIP?: string } | undefined)?.podIP;
  };
  const ask = async (path: string, asked: readonly (readonly [string, string])[] = []) => {
    const parameters = new URLSearchParams(
      asked.map(([key, value]): [string, string] => [key, value]),
    );
    const answer = await fetch(`http://${await address()}:8080${path}?${parameters}`);
    const body: unknown = await answer.json();
    if (!answer.ok) throw new Error(String(body));
    return body;
  };
  for (const until = Date.now() + READY_MS; ; await delay(500)) {
    const failure = await ask('/start').then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (failure === undefined) break;
    if (Date.now() > until) throw failure;
  }
  const on = (host?: string): [string, string][] => (host === undefined ? [] : [['host', host]]);
  return {
    reset: async () => void (await ask('/reset')),
    report: async () => (await ask('/report')) as WriterReport,
    missing: async (host) => (await ask('/missing', on(host))) as readonly number[],
    query: async (sql, host) =>
      (await ask('/query', [
        ...on(host),
        ...[sql].flat().map((each) => ['sql', each] as const),
      ])) as readonly (readonly unknown[])[],
    contend: async (mode, seconds) =>
      (await ask('/contend', [
        ['mode', mode],
        ['seconds', String(seconds)],
      ])) as Readonly<Record<string, number>>,
  };
}
