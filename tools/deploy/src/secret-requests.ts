import type { Instance } from './instances.ts';
import { accountSecret } from './scope.ts';
import type { SecretRequest } from './types.ts';

const ACCOUNT_KINDS = new Set(['database', 'message-bus', 'identity-user']);
const DEFAULT_FERNET_KEYS = 2;

/** The Secrets the instances need: their own, and one password for each account at a provider; by name. */
export function secretRequests(instances: ReadonlyMap<string, Instance>): SecretRequest[] {
  const requests = [...instances.values()].flatMap((instance): SecretRequest[] => {
    const own = Object.entries(instance.spec.secrets ?? {}).map(([name, { generate, keys = DEFAULT_FERNET_KEYS }]): SecretRequest => ({
      name: `${instance.name}-${name}`,
      instance: instance.name,
      keys:
        generate === 'password'
          ? { password: 'password' }
          : Object.fromEntries(Array.from({ length: keys }, (_, index) => [String(index), 'fernet-key' as const])),
    }));
    const accounts = [...instance.bindings].filter(([, { requirement }]) => ACCOUNT_KINDS.has(requirement.kind)).map(
      ([name]): SecretRequest => ({ name: accountSecret(instance, name), instance: instance.name, keys: { password: 'password' } }),
    );
    return [...own, ...accounts];
  });
  return requests.sort((a, b) => (a.name < b.name ? -1 : 1));
}
