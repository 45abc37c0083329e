import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { contentHash, siteLabels } from '../model/labels.ts';

const KEY = 'ca.crt';

/** Volume of pods whose containers trust the site's authorities. */
export const AUTHORITIES_VOLUME = 'site-ca';

/**
 * The authorities that a site's certificates are from: an immutable ConfigMap, and the key in it.
 */
export interface Authorities {
  readonly object: KubernetesObject;
  readonly key: string;
}

/** The authorities of a site; `undefined` where it has none of its own. */
export function renderAuthorities(site: Site): Authorities | undefined {
  if (site.tls?.ca === undefined) return undefined;
  const data = { [KEY]: site.tls.ca };
  const metadata = {
    name: `${site.name}-ca-${contentHash(data)}`,
    namespace: site.namespace,
    labels: siteLabels(site),
  };
  return {
    key: KEY,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, immutable: true, data },
  };
}
