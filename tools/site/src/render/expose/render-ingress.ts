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
 * An Ingress has no words for the rest, so controllers have annotations; those of others are nothing to them. Most send http to https
 * where there is `tls`, and limit neither size nor time of what moves. ingress-nginx (1.15.1, the last; its docs' pages annotations,
 * configmap and miscellaneous) refuses bodies of more than a megabyte, 0 being any size, keeps them back until they are whole, and ends
 * what was silent for a minute, in each direction: times are whole seconds between two reads or writes, and an hour is what it advises
 * for websockets. It sends http to https by itself only once it has a certificate for the host, so it is forced. Traefik takes no notice of `tls` but for the certificate: told nothing, it serves a host by http, and answers 404 by https
 * unless its entry point says that all is TLS (seen in 3.7).
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
