import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { TestCluster } from './start-test-cluster.ts';

interface Kubeconfig {
  readonly clusters: readonly [
    { readonly cluster: { readonly 'certificate-authority-data': string } },
  ];
  readonly users: readonly [
    {
      readonly user: {
        readonly 'client-certificate-data': string;
        readonly 'client-key-data': string;
      };
    },
  ];
}
interface Table {
  readonly columnDefinitions: readonly { readonly name: string; readonly priority: number }[];
  readonly rows: readonly { readonly cells: readonly unknown[] }[];
}

/** The table that `kubectl get` prints for a path: column -> cell, per object. */
export async function readTable(
  { kubeconfig, server }: TestCluster,
  path: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const bytes = (data: string): Buffer => Buffer.from(data, 'base64');
  const body = await new Promise<string>((resolve, reject) => {
    request(`${server}${path}`, {
      ca: bytes(clusters[0].cluster['certificate-authority-data']),
      cert: bytes(users[0].user['client-certificate-data']),
      key: bytes(users[0].user['client-key-data']),
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    })
      .once('response', (response) => void text(response).then(resolve, reject))
      .once('error', reject)
      .end();
  });
  const { columnDefinitions, rows } = JSON.parse(body) as Table;
  return rows.map(({ cells }) =>
    Object.fromEntries(columnDefinitions.map(({ name }, index) => [name, cells[index]])),
  );
}
