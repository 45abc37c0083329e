import { omitUndefined } from '#core';
import type { Site, SiteGateway } from '#definitions';
import type { KubernetesObject } from '#ports';
import { exposedName, hasDefaultPort, type PublicEndpoint } from '../../model/public-endpoints.ts';
import { siteLabels } from '../../model/labels.ts';
import { unescaped } from '../../model/template.ts';

/** Listener of a Gateway of ours that sends http to https. */
export const HTTP_LISTENER = 'http';

/** Name of the Gateway that routes of a site are at. */
export function gatewayName({ name }: SiteGateway, site: Site): string {
  return name ?? site.name;
}

/**
 * The Gateway that ccp creates for a site: a listener for each host, which accepts routes of the
 * namespace of the site only, and one that redirects http to https.
 */
export function renderGateway(
  gateway: SiteGateway & { readonly class: string },
  endpoints: readonly PublicEndpoint[],
  site: Site,
): KubernetesObject {
  const { addresses } = gateway;
  const annotations =
    gateway.annotations === undefined ? undefined : unescaped(gateway.annotations);
  const redirects = endpoints.some(
    ({ origin }) => origin.scheme === 'https' && hasDefaultPort(origin),
  );
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: {
      name: gatewayName(gateway, site),
      namespace: site.namespace,
      labels: siteLabels(site),
      ...omitUndefined({ annotations }),
    },
    spec: {
      gatewayClassName: gateway.class,
      ...omitUndefined({
        addresses: addresses?.map((value) => ({ type: 'IPAddress', value })),
        infrastructure: annotations === undefined ? undefined : { annotations },
      }),
      listeners: [
        ...(redirects ? [{ name: HTTP_LISTENER, protocol: 'HTTP', port: 80 }] : []),
        ...endpoints.map(listener),
      ],
    },
  };
}

function listener(endpoint: PublicEndpoint): object {
  const { origin, certificate } = endpoint;
  const base = { name: exposedName(endpoint), hostname: origin.host, port: origin.port };
  if (origin.scheme === 'http') return { ...base, protocol: 'HTTP' };
  return {
    ...base,
    protocol: 'HTTPS',
    tls: { mode: 'Terminate', certificateRefs: [{ name: certificate!.secret! }] },
  };
}
