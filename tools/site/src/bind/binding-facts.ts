import type { Provision, Site } from '#definitions';
import type { Fact, Part } from './facts.ts';
import type { Binding, Instance } from '../model/instance.ts';
import { accountName, generationOf, secretName } from '../model/names.ts';
import {
  addressFacts,
  endpointFacts,
  hostsOf,
  membersFacts,
  portOf,
  text,
} from './provision-facts.ts';

/** A value of a Secret. */
export const secret = (name: string, key: string): readonly Part[] => [{ secret: { name, key } }];

/**
 * Name with which an instance logs in at a provider: the account's, or one for each generation of
 * its password. No other account has such a name, since names of instances have no dots.
 */
export function userName(
  instance: Instance,
  requirement: string,
  { accounts }: Pick<Provision, 'accounts'>,
): string {
  const account = accountName(instance, requirement);
  const generation = generationOf(instance, requirement);
  return accounts !== 'generation' || generation === 1 ? account : `${account}.${generation}`;
}

/** The values that references to one requirement may use: `requires.NAME.…`. */
export function bindingFacts(
  instance: Instance,
  name: string,
  binding: Binding,
  instances: ReadonlyMap<string, Instance>,
  site: Site,
): Record<string, Fact> {
  if ('secret' in binding) {
    return Object.fromEntries(
      (binding.requirement.keys ?? []).map((key) => [key, secret(binding.secret, key)]),
    );
  }
  const provider = instances.get(binding.provider)!;
  const provision = provider.spec.provides![binding.provision]!;
  if (provision.kind === 'node-service' || provision.kind === 'metrics') return {};
  const account = accountName(instance, name);
  const user = userName(instance, name, provision);
  const password = secret(secretName(instance, name), 'password');
  const port = portOf(provider, provision);
  const { service, peers } = hostsOf(provider, provision.workload, site);
  switch (provision.kind) {
    case 'endpoint': {
      const shared =
        provision.secret === undefined
          ? {}
          : { secret: secret(secretName(provider, provision.secret), 'password') };
      return { ...endpointFacts(provider, binding.provision, provision, site), ...shared };
    }
    case 'members':
      return membersFacts(provider, provision, site);
    case 'cache':
      return { servers: { list: peers.map((peer) => `${peer}:${port}`) } };
    case 'database': {
      const query = provision.query === undefined ? '' : `?${provision.query}`;
      const url: Part[] = [
        { text: `${provision.scheme}://${user}:` },
        ...password,
        { text: `@${service}:${port}/${account}${query}` },
      ];
      const address = addressFacts(provider, provision, site);
      return { ...address, name: text(account), user: text(user), password, url };
    }
    case 'message-bus': {
      const nodes = peers.flatMap((peer, index): Part[] => [
        { text: `${index === 0 ? '' : ','}${user}:` },
        ...password,
        { text: `@${peer}:${port}` },
      ]);
      return {
        hosts: { list: peers },
        port: text(port),
        user: text(user),
        password,
        vhost: text(account),
        url: [{ text: `${provision.scheme}://` }, ...nodes, { text: `/${account}` }],
      };
    }
    case 'identity-user':
      return {
        ...loginFacts(provider, binding.provision, provision, site),
        user: text(user),
        password,
        project: text('service'),
        domain: text('Default'),
        region: text(site.region),
      };
  }
}

/** Addresses for the login of services, and of users: theirs is the endpoint with a public host. */
function loginFacts(
  provider: Instance,
  name: string,
  provision: Provision,
  site: Site,
): Record<string, Fact> {
  const [endpoint, served] = Object.entries(provider.spec.provides!).find(
    ([, { kind, workload, port }]) =>
      kind === 'endpoint' && workload === provision.workload && port === provision.port,
  ) ?? [name, provision];
  return {
    'auth-url': endpointFacts(provider, name, provision, site)['url']!,
    'public-url': endpointFacts(provider, endpoint, served, site)['public-url']!,
  };
}
