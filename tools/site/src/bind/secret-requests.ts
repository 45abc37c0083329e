import type { RequirementKind } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { generationOf, secretName } from '../model/names.ts';
import type { SecretRequest } from '../model/types.ts';

/** Kinds of requirements that create an account with its own password. */
export const ACCOUNT_KINDS: ReadonlySet<RequirementKind> = new Set<RequirementKind>([
  'database',
  'message-bus',
  'identity-user',
]);
const DEFAULT_FERNET_KEYS = 2;
const DEFAULT_KEPT = 3;

/** Names of the earlier generations of a Secret, newest first. */
function earlierNames(instance: Instance, name: string): string[] {
  const generation = generationOf(instance, name);
  return Array.from({ length: generation - 1 }, (_, index) =>
    secretName(instance, name, generation - 1 - index),
  );
}

/** `<instance>.<name>` of a generated Secret of any generation; `undefined` for other Secrets. */
export function generatedFor(
  instances: ReadonlyMap<string, Instance>,
  secret: string,
): string | undefined {
  const first = secret.replace(/-g[1-9][0-9]*$/, '');
  for (const instance of instances.values()) {
    const accounts = [...instance.bindings]
      .filter(([, { requirement }]) => ACCOUNT_KINDS.has(requirement.kind))
      .map(([name]) => name);
    const made = [...Object.keys(instance.spec.secrets ?? {}), ...accounts].find((name) =>
      [secret, first].includes(secretName(instance, name, 1)),
    );
    if (made !== undefined) return `${instance.name}.${made}`;
  }
  return undefined;
}

/**
 * The Secrets that the instances need, sorted by name: their own, and one password for each account
 * at a provider.
 */
export function secretRequests(instances: ReadonlyMap<string, Instance>): SecretRequest[] {
  const requests = [...instances.values()].flatMap((instance): SecretRequest[] => {
    const own = Object.entries(instance.spec.secrets ?? {}).map(
      ([name, { generate, keys = DEFAULT_FERNET_KEYS, keep = DEFAULT_KEPT }]): SecretRequest => ({
        name: secretName(instance, name),
        instance: instance.name,
        keys:
          generate === 'password'
            ? { password: 'password' }
            : Object.fromEntries(
                Array.from({ length: keys }, (_, index) => [String(index), 'fernet-key' as const]),
              ),
        ...(generate === 'fernet-keys' && generationOf(instance, name) > 1
          ? { previous: { names: earlierNames(instance, name), keep } }
          : {}),
      }),
    );
    const accounts = [...instance.bindings]
      .filter(([, { requirement }]) => ACCOUNT_KINDS.has(requirement.kind))
      .map(([name]): SecretRequest => ({
        name: secretName(instance, name),
        instance: instance.name,
        keys: { password: 'password' },
      }));
    return [...own, ...accounts];
  });
  return requests.sort((a, b) => (a.name < b.name ? -1 : 1));
}
