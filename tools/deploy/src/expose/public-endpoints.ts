import type { Provision, Site, SiteCertificate } from '#definitions';
import type { Instance } from '../instances.ts';
import { podLabels, siteLabels } from '../labels.ts';
import { objectName } from '../names.ts';
import { unescaped } from '../template.ts';

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
  /** Its own. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly listener: string | undefined;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const satisfies Record<Origin['scheme'], number>;

/** Takes an origin as the schema of sites allows it. */
export function originOf(text: string): Origin {
  const [scheme = '', rest = ''] = text.split('://');
  const [host = '', port] = rest.split(':');
  const known = scheme === 'https' ? 'https' : 'http';
  return { scheme: known, host, port: port === undefined ? DEFAULT_PORTS[known] : Number(port) };
}

/** Whether an origin needs no port in its text. */
export function hasDefaultPort({ scheme, port }: Origin): boolean {
  return port === DEFAULT_PORTS[scheme];
}

/** What has a host at a site, by instance and endpoint. A host of what is no endpoint of the app is left out. */
export function publicEndpoints(site: Site, instances: ReadonlyMap<string, Instance>): PublicEndpoint[] {
  return [...instances.values()].flatMap((instance) =>
    Object.entries(instance.settings.hosts ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .flatMap(([name, host]): PublicEndpoint[] => {
        const provision = instance.spec.provides?.[name];
        if (provision?.kind !== 'endpoint') return [];
        const { tls = site.tls, annotations = {}, listener } = instance.settings.expose?.[name] ?? {};
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

/** Name of the objects that lead to an endpoint, and of its listener. */
export function exposedName({ instance, name }: Pick<PublicEndpoint, 'instance' | 'name'>): string {
  return `${instance.name}-${name}`;
}

/** Their labels; they are no part of the workload they lead to. */
export function exposeLabels({ instance, name }: PublicEndpoint, site: Site): Record<string, string> {
  return { ...siteLabels(site), ...podLabels(instance, `expose-${name}`) };
}
