import { omitUndefined } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { exposedName, exposeLabels, type PublicEndpoint } from '../../model/public-endpoints.ts';
import { unescaped } from '../../model/template.ts';

/** The Ingress that leads a host to the Service of its endpoint. */
export function renderIngress(
  endpoint: PublicEndpoint,
  {
    class: ingressClassName,
    annotations: ofAll,
  }: NonNullable<NonNullable<Site['expose']>['ingress']>,
  site: Site,
): KubernetesObject {
  const { provision, origin, service, certificate } = endpoint;
  const annotations = {
    ...(origin.scheme === 'https' ? HTTPS_ONLY : {}),
    ...(provision.carries === undefined ? {} : CARRIED[provision.carries]),
    ...unescaped(ofAll ?? {}),
    ...endpoint.annotations,
  };
  const secret = certificate?.secret;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: exposedName(endpoint),
      namespace: site.namespace,
      labels: exposeLabels(endpoint, site),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...omitUndefined({ ingressClassName }),
      ...(origin.scheme === 'https'
        ? {
            tls: [{ hosts: [origin.host], ...omitUndefined({ secretName: secret }) }],
          }
        : {}),
      rules: [
        {
          host: origin.host,
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: service, port: { name: provision.port } } },
              },
            ],
          },
        },
      ],
    },
  };
}

/*
 * The Ingress API has no fields for redirects and limits, so controllers use annotations and ignore
 * those of other controllers. Most controllers redirect http to https if `tls` is set, and limit
 * neither size nor duration.
 *
 * ingress-nginx (1.15.1, the last release; pages annotations, configmap and miscellaneous of its
 * docs) rejects bodies above 1 MB (0 disables the limit), buffers them, and closes a connection
 * after 60 s without data in one direction. Timeouts are whole seconds between two reads or writes;
 * its docs recommend one hour for websockets. It redirects to https only with a certificate for the
 * host, so the redirect is forced.
 *
 * Traefik (3.7) uses `tls` for the certificate only: without its annotation it serves the host by
 * http, and returns 404 by https unless its entry point enables TLS.
 */
const HTTPS_ONLY = {
  'nginx.ingress.kubernetes.io/force-ssl-redirect': 'true',
  'traefik.ingress.kubernetes.io/router.tls': 'true',
};
const AN_HOUR = {
  'nginx.ingress.kubernetes.io/proxy-read-timeout': '3600',
  'nginx.ingress.kubernetes.io/proxy-send-timeout': '3600',
};
const CARRIED = {
  uploads: {
    ...AN_HOUR,
    'nginx.ingress.kubernetes.io/proxy-body-size': '0',
    'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
  },
  websockets: AN_HOUR,
};
