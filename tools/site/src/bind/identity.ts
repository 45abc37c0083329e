import type { Bound } from '../model/bound.ts';
import { secretName } from '../model/names.ts';
import { endpointOrigin } from './provision-facts.ts';

/** How administrators log in at the identity service of a site. */
export interface SiteIdentity {
  readonly authUrl: string;
  readonly region: string;
  /** The Secret with their password under the key `password`. */
  readonly secret: { readonly namespace: string; readonly name: string };
}

/**
 * The identity service of a site: its public address, or without a host the address inside the
 * cluster. Undefined if the site has none that shares a password.
 */
export function identityOf({ site, instances }: Bound): SiteIdentity | undefined {
  for (const instance of instances.values())
    for (const [name, provision] of Object.entries(instance.spec.provides ?? {})) {
      const { kind, type, secret, path = '' } = provision;
      if (kind !== 'endpoint' || type !== 'identity' || secret === undefined) continue;
      const origin = instance.settings.hosts?.[name] ?? endpointOrigin(instance, provision, site);
      return {
        authUrl: `${origin}${path}`,
        region: site.region,
        secret: { namespace: site.namespace, name: secretName(instance, secret) },
      };
    }
  return undefined;
}
