import type { Cluster } from '#ports';
import { shownObjects } from './shown-objects.ts';

/** Makes the Secrets that a site's job would make: pods of the test cluster run nothing. Until `signal` aborts. */
export async function playSecrets(cluster: Cluster, signal: AbortSignal): Promise<void> {
  for await (const event of cluster.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, { signal })) {
    for (const { metadata, ...rest } of shownObjects(event)) {
      const { 'requests.json': requests = '{ "secrets": [] }' } = (rest['data'] ?? {}) as Readonly<Record<string, string>>;
      const { secrets } = JSON.parse(requests) as { readonly secrets: readonly { readonly name: string }[] };
      for (const { name } of secrets)
        await cluster.create(
          { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: metadata.namespace as string } },
          { fieldManager: 'test-cluster' },
        );
    }
  }
}
