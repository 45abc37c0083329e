import type { Cluster } from '#ports';
import { eventObjects } from './event-objects.ts';

/**
 * Creates the Secrets of a site's job until `signal` aborts: pods of the test cluster are
 * simulated.
 */
export async function simulateSecretJob(cluster: Cluster, signal: AbortSignal): Promise<void> {
  for await (const event of cluster.watch({ apiVersion: 'v1', kind: 'ConfigMap' }, { signal })) {
    for (const { metadata, ...rest } of eventObjects(event)) {
      const { 'requests.json': requests = '{ "secrets": [] }' } = (rest['data'] ?? {}) as Readonly<
        Record<string, string>
      >;
      const { secrets } = JSON.parse(requests) as {
        readonly secrets: readonly { readonly name: string; readonly copies?: readonly string[] }[];
      };
      for (const { name, copies = [] } of secrets)
        for (const namespace of [metadata.namespace as string, ...copies])
          await cluster.create(
            { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } },
            { fieldManager: 'test-cluster' },
          );
    }
  }
}
