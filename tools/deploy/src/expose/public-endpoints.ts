import type { Provision, Site, SiteCertificate } from '#definitions';
import type { Instance } from '../instances.ts';
import { objectName } from '../names.ts';

/** Where the outside reaches something: `https://identity.example.org` has port 443. */
export interface Origin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** An endpoint that a site gives a host. */
export interface PublicEndpoint {
  readonly instance: Instance;
  /** In the app spec. */
  readonly name: string;
  readonly provision: Provision;
  readonly origin: Origin;
  /** Service that leads to it. */
  readonly service: string;
  /** What it is served with where that is https: its own, else the site's. */
  readonly certificate: SiteCertificate | undefined;
  /** Those of the site, and its own over them. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** Takes an origin as the schema of sites allows it. */
export function originOf(text: string): Origin {
  const [scheme = '', rest = ''] = text.split('://');
  const [host = '', port] = rest.split(':');
  return { scheme: scheme === 'https' ? 'https' : 'http', host, port: port === undefined ? (scheme === 'https' ? 443 : 80) : Number(port) };
}

/** What has a host at a site, by instance and endpoint. A host of what is no endpoint of the app is left out. */
export function publicEndpoints(site: Site, instances: ReadonlyMap<string, Instance>): PublicEndpoint[] {
  return [...instances.values()].flatMap((instance) =>
    Object.entries(instance.settings.hosts ?? {}).sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([name, host]): PublicEndpoint[] => {
      const provision = instance.spec.provides?.[name];
      if (provision?.kind !== 'endpoint') return [];
      const own = instance.settings.expose?.[name];
      const annotations = { ...site.expose?.ingress?.annotations, ...own?.annotations };
      return [{ instance, name, provision, origin: originOf(host), service: objectName(instance, provision.workload), certificate: own?.tls ?? site.tls, annotations }];
    }),
  );
}
