import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { PublicEndpoint } from '../../model/public-endpoints.ts';
import { siteLabels } from '../../model/labels.ts';

/** The Certificate of a Secret that an issuer of cert-manager fills, with all hosts that use it. */
export function renderCertificate(
  secretName: string,
  endpoints: readonly PublicEndpoint[],
  site: Site,
): KubernetesObject {
  const users = endpoints.filter(
    ({ origin, certificate }) =>
      origin.scheme === 'https' &&
      certificate?.issuer !== undefined &&
      certificate.secret === secretName,
  );
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: { name: secretName, namespace: site.namespace, labels: siteLabels(site) },
    spec: {
      secretName,
      dnsNames: [...new Set(users.map(({ origin }) => origin.host))].sort(),
      issuerRef: users[0]!.certificate!.issuer!,
    },
  };
}
