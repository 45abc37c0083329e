import { CcpError, throwFindings } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import type { Site } from '#site';
import { unlessHidden } from './unless-hidden.ts';

const INGRESS_CLASS = { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass' };
const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class';

/**
 * Throws `deploy-ingress-missing` for each class, Gateway and issuer that the site names and the
 * cluster does not have: an Ingress of an unserved class reports no error. Objects that this
 * account may not read and kinds that the cluster does not have are skipped.
 */
export async function checkIngress(cluster: Cluster, site: Site): Promise<void> {
  const named = namedBy(site);
  const found = await Promise.all(named.map(({ ref }) => unlessHidden(() => cluster.get(ref))));
  const missing = named
    .filter((_, index) => found[index] === undefined)
    .map(({ ref, path }) =>
      finding(
        `${cluster.name} has no ${ref.kind}/${ref.name}${ref.namespace === undefined ? '' : ` in the namespace "${ref.namespace}"`}`,
        site,
        path,
        'name an existing one, or create it first',
      ),
    );
  throwFindings([...missing, ...(await withoutDefault(cluster, site))]);
}

function namedBy(site: Site): { readonly ref: ObjectRef; readonly path: readonly string[] }[] {
  const { ingress, gateway } = site.expose ?? {};
  const gateways = { apiVersion: 'gateway.networking.k8s.io/v1' };
  const issuers = [
    { path: ['tls', 'issuer'], issuer: site.tls?.issuer },
    ...Object.entries(site.apps).flatMap(([app, { expose = {} }]) =>
      Object.entries(expose).map(([endpoint, { tls }]) => ({
        path: ['apps', app, 'expose', endpoint, 'tls', 'issuer'],
        issuer: tls?.issuer,
      })),
    ),
  ];
  return [
    ...(ingress?.class === undefined
      ? []
      : [{ ref: { ...INGRESS_CLASS, name: ingress.class }, path: ['expose', 'ingress', 'class'] }]),
    ...(gateway?.class === undefined
      ? []
      : [
          {
            ref: { ...gateways, kind: 'GatewayClass', name: gateway.class },
            path: ['expose', 'gateway', 'class'],
          },
        ]),
    ...(gateway?.name === undefined
      ? []
      : [
          {
            ref: {
              ...gateways,
              kind: 'Gateway',
              name: gateway.name,
              namespace: gateway.namespace ?? site.namespace,
            },
            path: ['expose', 'gateway', 'name'],
          },
        ]),
    ...issuers.flatMap(({ path, issuer }) =>
      issuer === undefined
        ? []
        : [
            {
              path,
              ref: {
                apiVersion: 'cert-manager.io/v1',
                ...issuer,
                ...(issuer.kind === 'Issuer' ? { namespace: site.namespace } : {}),
              },
            },
          ],
    ),
  ];
}

/** An Ingress without a class uses the default one. */
async function withoutDefault(cluster: Cluster, site: Site): Promise<CcpError[]> {
  if (site.expose?.ingress === undefined || site.expose.ingress.class !== undefined) return [];
  const classes = await unlessHidden(async () => (await cluster.list(INGRESS_CLASS)).items);
  if (
    classes === 'hidden' ||
    classes.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')
  )
    return [];
  const names = classes.map(({ metadata }: LiveObject) => metadata.name);
  return [
    finding(
      `${cluster.name} has no default IngressClass`,
      site,
      ['expose', 'ingress'],
      `set expose.ingress.class${names.length === 0 ? '' : `; the cluster has ${names.join(', ')}`}`,
    ),
  ];
}

function finding(message: string, site: Site, path: readonly string[], hint: string): CcpError {
  return new CcpError({ code: 'deploy-ingress-missing', message, hint, at: site.position(path) });
}
