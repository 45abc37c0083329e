import { omitUndefined } from '#core';
import type { Site, SiteGateway } from '#definitions';
import type { KubernetesObject } from '#ports';
import {
  exposedName,
  exposeLabels,
  hasDefaultPort,
  type PublicEndpoint,
} from '../../model/public-endpoints.ts';
import { portsOf } from '../../model/workload-ports.ts';
import { gatewayName, HTTP_LISTENER } from './render-gateway.ts';

/**
 * The HTTPRoute from a Gateway to the Service of an endpoint, and a redirect from http if the host
 * uses https on port 443.
 */
export function renderRoutes(
  endpoint: PublicEndpoint,
  gateway: SiteGateway,
  site: Site,
): KubernetesObject[] {
  const { instance, provision, origin, service, annotations } = endpoint;
  const { port } = portsOf(instance.spec.workloads[provision.workload]!)[provision.port!]!;
  const route = (name: string, listener: string, rule: object): KubernetesObject => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: {
      name,
      namespace: site.namespace,
      labels: exposeLabels(endpoint, site),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      parentRefs: [
        {
          name: gatewayName(gateway, site),
          ...omitUndefined({ namespace: gateway.namespace }),
          sectionName: listener,
        },
      ],
      hostnames: [origin.host],
      rules: [rule],
    },
  });
  const name = exposedName(endpoint);
  const http = gateway.name === undefined ? HTTP_LISTENER : gateway.listeners?.http;
  const redirected = origin.scheme === 'https' && hasDefaultPort(origin) && http !== undefined;
  return [
    route(name, listenerOf(endpoint, gateway), {
      backendRefs: [{ name: service, port }],
      ...(provision.carries === undefined ? {} : ENDLESS),
    }),
    ...(redirected
      ? [
          route(`${name}-redirect`, http, {
            filters: [
              { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } },
            ],
          }),
        ]
      : []),
  ];
}

/**
 * Uploads and websockets can take long; the default limit of a Gateway is as short as 15 s. Zero
 * means no limit, or the longest limit of the implementation; without it the implementation's
 * default applies (HTTPRouteTimeouts of Gateway API 1.6, extended support). The API has no idle
 * timeout. `backendRequest`, the limit of one try, is not set: fewer implementations support it.
 */
const ENDLESS = { timeouts: { request: '0s' } };

function listenerOf(endpoint: PublicEndpoint, { name, listeners }: SiteGateway): string {
  return name === undefined
    ? exposedName(endpoint)
    : (endpoint.listener ?? listeners![endpoint.origin.scheme]!);
}
