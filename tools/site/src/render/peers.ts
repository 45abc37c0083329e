import type { NetworkPeer } from '#definitions';
import type { Instance } from '../model/instance.ts';
import {
  instanceNamespaces,
  namespaceSelector,
  siteNamespaces,
  type Namespaces,
} from '../model/namespaces.ts';

/**
 * Pods of instances as peers of a policy in `namespace`: one peer for each namespace with such
 * pods.
 */
export function instancePeers(
  instances: readonly Instance[],
  site: Namespaces,
  namespace: string,
): readonly object[] {
  return siteNamespaces(instances, site).flatMap((each) => {
    const values = [
      ...new Set(
        instances
          .filter((instance) => instanceNamespaces(instance, site).includes(each))
          .map(({ name }) => name),
      ),
    ].sort();
    if (values.length === 0) return [];
    return [
      {
        ...(each === namespace ? {} : { namespaceSelector: namespaceSelector(each) }),
        podSelector: {
          matchExpressions: [{ key: 'app.kubernetes.io/instance', operator: 'In', values }],
        },
      },
    ];
  });
}

/**
 * Peers of the site file in a policy in `namespace`: pods without a namespace are the site's own.
 */
export function sitePeers(
  peers: readonly NetworkPeer[],
  site: Namespaces,
  namespace: string,
): readonly NetworkPeer[] {
  if (namespace === site.namespace) return peers;
  return peers.map((peer) =>
    peer.ipBlock !== undefined || peer.namespaceSelector !== undefined
      ? peer
      : { namespaceSelector: namespaceSelector(site.namespace), ...peer },
  );
}
