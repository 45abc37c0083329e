import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TestCluster } from './start-test-cluster.ts';

const TOKEN_MS = 10_000;

interface Kubeconfig {
  readonly clusters: readonly object[];
  readonly contexts: readonly { readonly name: string; readonly context: object }[];
}

/** Writes a kubeconfig with the token of a service account; resolves with its path. */
export async function accountKubeconfig(
  { cluster, kubeconfig, folder }: TestCluster,
  { name, namespace }: { readonly name: string; readonly namespace: string },
): Promise<string> {
  const metadata = {
    name: `${name}-token`,
    namespace,
    annotations: { 'kubernetes.io/service-account.name': name },
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata };
  await cluster.create(
    { ...secret, type: 'kubernetes.io/service-account-token' },
    { fieldManager: 'test-cluster' },
  );
  const ref = { apiVersion: 'v1', kind: 'Secret', name: metadata.name, namespace };
  for (const until = Date.now() + TOKEN_MS; ; await setTimeout(100)) {
    const { data } = ((await cluster.get(ref)) ?? {}) as {
      readonly data?: Readonly<Record<string, string>>;
    };
    if (data?.['token'] !== undefined) {
      const admin = JSON.parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
      const token = Buffer.from(data['token'], 'base64').toString();
      const path = join(folder, `${name}.kubeconfig`);
      const config = {
        ...admin,
        users: [{ name, user: { token } }],
        contexts: admin.contexts.map((each) => ({
          ...each,
          context: { ...each.context, user: name },
        })),
      };
      writeFileSync(path, JSON.stringify(config), { mode: 0o600 });
      return path;
    }
    if (Date.now() > until) throw new Error(`${namespace}/${name} has no token`);
  }
}
