import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { PublicEndpoint } from '../../bind/public-endpoints.ts';
import { siteLabels } from '../../model/labels.ts';

/** A Certificate for each Secret that an issuer of cert-manager fills, with all hosts that use it; by name. */
export function renderCertificates(
  endpoints: readonly PublicEndpoint[],
  site: Site,
): KubernetesObject[] {
  const issued = endpoints.filter(
    ({ origin, certificate }) => origin.scheme === 'https' && certificate?.issuer !== undefined,
  );
  const secrets = [...new Set(issued.map(({ certificate }) => certificate!.secret!))].sort();
  return secrets.map((secretName) => {
    const users = issued.filter(({ certificate }) => certificate!.secret === secretName);
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
  });
}
