import { CcpError, shortList, throwFindings } from '#core';
import { asKind, type KubernetesObject } from '#ports';
import { keyOf, objectsOf, refOfKey, type Home, type ObjectKey, type RenderedSite } from '#site';
import { secretsOf } from './secrets-of.ts';

/** Maximum number of users of a Secret in a message. */
const MOST = 3;

/**
 * Throws `deploy-secret-missing` for each Secret that the site's objects name and that is not in
 * `names`, the keys of the Secrets of its namespaces. Secrets that the site or an issuer creates
 * are not checked.
 */
export function checkSecrets(
  rendered: RenderedSite,
  home: Home,
  names: ReadonlySet<ObjectKey>,
): void {
  const objects = objectsOf(rendered);
  const made = new Set([
    ...rendered.secrets.flatMap(({ name, copies = [] }) => [
      `Secret/${name}`,
      ...copies.map((namespace) => `Secret/${namespace}/${name}`),
    ]),
    ...objects
      .filter(({ kind }) => kind === 'Certificate')
      .map(({ spec }) => `Secret/${(spec as { secretName: string }).secretName}`),
  ]);
  const users = new Map<string, string[]>();
  for (const object of objects) {
    const { namespace = home.namespace } = object.metadata;
    for (const name of new Set(namedSecrets(object))) {
      const secret = keyOf({ apiVersion: 'v1', kind: 'Secret', name, namespace }, home);
      if (!made.has(secret) && !names.has(secret))
        users.set(secret, [...(users.get(secret) ?? []), keyOf(object, home)]);
    }
  }
  throwFindings(
    [...users]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([secret, by]) => {
        const { name, namespace } = refOfKey(secret, 'v1', home);
        const kind = by.some((key) => /^(Ingress|Gateway)\//.test(key)) ? 'tls' : 'generic';
        const users = shortList(by, MOST);
        const from = kind === 'tls' ? '--cert=FILE --key=FILE' : '--from-file=KEY=FILE';
        return new CcpError({
          code: 'deploy-secret-missing',
          message: `the Secret "${name}" does not exist in the namespace "${namespace}", and ${users} ${by.length === 1 ? 'needs' : 'need'} it`,
          hint: `create it: kubectl -n ${namespace} create secret ${kind} ${name} ${from}`,
        });
      }),
  );
}

/** Secrets that an object names, including the certificates of a Gateway. */
function namedSecrets(object: KubernetesObject): string[] {
  const { listeners = [] } = asKind('Gateway', object).spec ?? {};
  return [
    ...secretsOf(object['spec']),
    ...listeners.flatMap(({ tls }) => (tls?.certificateRefs ?? []).map(({ name }) => name)),
  ];
}
