import { CcpError } from '#core';
import { asKind, type Cluster } from '#ports';
import type { ManagedResource } from '../resources/types.ts';
import type { SiteRequest } from './context.ts';

/**
 * The request for the site of a resource, with the text of its ConfigMap. Throws
 * `operator-site-missing`.
 */
export async function siteRequest(
  cluster: Pick<Cluster, 'get'>,
  { kind, metadata, spec }: ManagedResource,
): Promise<SiteRequest> {
  const { name, namespace = 'default' } = metadata;
  const { inline, configMap, artifact } = spec.site;
  const request = { name, namespace, set: spec.set };
  if (artifact !== undefined) return { ...request, site: { artifact } };
  if (inline !== undefined)
    return { ...request, site: { text: inline, file: `${kind}/${name}:spec.site.inline` } };
  const { name: source = '', key = 'site.yaml' } = configMap ?? {};
  const found = await cluster.get({ apiVersion: 'v1', kind: 'ConfigMap', name: source, namespace });
  const text = asKind('ConfigMap', found)?.data?.[key];
  if (text === undefined)
    throw new CcpError({
      code: 'operator-site-missing',
      message:
        found === undefined
          ? `the ConfigMap ${source} of spec.site.configMap does not exist in ${namespace}`
          : `the ConfigMap ${source} in ${namespace} has no key ${key}`,
      hint: `create it: kubectl create configmap ${source} --namespace ${namespace} --from-file ${key}`,
    });
  return { ...request, site: { text, file: `ConfigMap/${source}:${key}` } };
}
