import type { Provision, Site, SiteCertificate } from '#definitions';
import type { Instance } from './instance.ts';
import { podLabels, siteLabels } from './labels.ts';
import { objectName } from './names.ts';
import { unescaped } from './template.ts';

/** Public address of an endpoint: `https://identity.example.org` has port 443. */
export interface Origin {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly port: number;
}

/** An endpoint with a host in the site. */
export interface PublicEndpoint {
  readonly instance: Instance;
  /** In the app spec. */
  readonly name: string;
  readonly provision: Provision;
  readonly origin: Origin;
  /** Name of its Service. */
  readonly service: string;
  /** Certificate for https: of the endpoint, or the default of the site. */
  readonly certificate: SiteCertificate | undefined;
  /** Its own. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly listener: string | undefined;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const satisfies Record<Origin['scheme'], number>;

/** Parses an origin that the site schema has validated. */
function originOf(text: string): Origin {
  const [scheme = '', rest = ''] = text.split('://');
  const [host = '', port] = rest.split(':');
  const known = scheme === 'https' ? 'https' : 'http';
  return { scheme: known, host, port: port === undefined ? DEFAULT_PORTS[known] : Number(port) };
}

/** Whether the origin uses the default port of its scheme. */
export function hasDefaultPort({ scheme, port }: Origin): boolean {
  return port === DEFAULT_PORTS[scheme];
}

/**
 * Returns the endpoints with a host, sorted by instance and endpoint. Hosts of unknown endpoints
 * are left out.
 */
export function publicEndpoints(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): PublicEndpoint[] {
  return [...instances.values()].flatMap((instance) =>
    Object.entries(instance.settings.hosts ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, host]): PublicEndpoint[] => {
        const provision = instance.spec.provides?.[name];
        if (provision?.kind !== 'endpoint') return [];
        const {
          tls = site.tls,
          annotations = {},
          listener,
        } = instance.settings.expose?.[name] ?? {};
        return [
          {
            instance,
            name,
            provision,
            origin: originOf(host),
            service: objectName(instance, provision.workload),
            certificate: tls,
            annotations: unescaped(annotations),
            listener,
          },
        ];
      }),
  );
}

/** Name of the Ingress or route of an endpoint, and of its listener. */
export function exposedName({ instance, name }: Pick<PublicEndpoint, 'instance' | 'name'>): string {
  return `${instance.name}-${name}`;
}

/** Labels of these objects. They differ from the labels of the workload. */
export function exposeLabels(
  { instance, name }: PublicEndpoint,
  site: Site,
): Record<string, string> {
  return { ...siteLabels(site), ...podLabels(instance, `expose-${name}`) };
}
