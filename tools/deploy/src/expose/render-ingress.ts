import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from '../labels.ts';
import type { PublicEndpoint } from './public-endpoints.ts';

/** The Ingress that leads a host to the Service of its endpoint. */
export function renderIngress(endpoint: PublicEndpoint, site: Site): KubernetesObject {
  const { instance, name, provision, origin, service, certificate } = endpoint;
  const annotations = { ...(origin.scheme === 'https' ? HTTPS_ONLY : {}), ...endpoint.annotations };
  const secret = certificate?.secret;
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name: `${instance.name}-${name}`,
      namespace: site.namespace,
      labels: { ...siteLabels(site), ...podLabels(instance, provision.workload) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    spec: {
      ...(site.expose?.ingress?.class === undefined ? {} : { ingressClassName: site.expose.ingress.class }),
      ...(origin.scheme === 'https' ? { tls: [{ hosts: [origin.host], ...(secret === undefined ? {} : { secretName: secret }) }] } : {}),
      rules: [{ host: origin.host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: service, port: { name: provision.port } } } }] } }],
    },
  };
}

/** An Ingress has no word for a redirect. Controllers send http to https where it has `tls`; ingress-nginx wants to be told where the certificate is its own. */
const HTTPS_ONLY = { 'nginx.ingress.kubernetes.io/force-ssl-redirect': 'true' };
