import type { Cluster } from '#ports';
import { secretName, type Site } from '#site';

/**
 * Milliseconds since the cluster created the Secret of the site's generation; `undefined` if it
 * does not exist. Only names and times of Secrets are read.
 */
export async function generationAge(
  cluster: Cluster,
  site: Pick<Site, 'namespace' | 'apps'>,
  { app, secret, now }: { readonly app: string; readonly secret: string; readonly now: number },
): Promise<number | undefined> {
  const { namespace } = site;
  const name = secretName({ name: app, settings: site.apps[app]! }, secret);
  const kind = { apiVersion: 'v1', kind: 'Secret' };
  const { items } = await cluster.list(kind, { namespace, metadataOnly: true });
  const found = items.find(({ metadata }) => metadata.name === name);
  return found === undefined ? undefined : now - Date.parse(found.metadata.creationTimestamp);
}
