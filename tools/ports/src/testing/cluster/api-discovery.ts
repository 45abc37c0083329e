import type { ClusterKind } from '../../cluster.ts';

/** Aggregated discovery document of the kinds with (`/apis`) or without (`/api`) a group. */
export function discoveryOf(kinds: readonly ClusterKind[], isCore: boolean): object {
  const versions = [...new Set(kinds.map(({ apiVersion }) => apiVersion))].filter(
    (apiVersion) => apiVersion.includes('/') !== isCore,
  );
  const items = versions.map((apiVersion) => {
    const [group = '', version] = apiVersion.includes('/')
      ? apiVersion.split('/')
      : ['', apiVersion];
    const resources = kinds
      .filter((each) => each.apiVersion === apiVersion)
      .map(({ kind, plural, namespaced, verbs }) => ({
        resource: plural,
        responseKind: { group, version, kind },
        scope: namespaced ? 'Namespaced' : 'Cluster',
        verbs,
      }));
    return { metadata: { name: group }, versions: [{ version, resources }] };
  });
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items,
  };
}
