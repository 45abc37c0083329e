import { CcpError, shortList, throwFindings } from '#core';
import { asKind, type KubernetesObject } from '#ports';
import { keyOf, objectsOf, type RenderedSite } from '#site';
import { secretsOf } from './secrets-of.ts';

/** Maximum number of users of a Secret in a message. */
const MOST = 3;

/**
 * Throws `deploy-secret-missing` for each Secret that the site's objects name and that is not in
 * `names`, the Secrets of its namespace. Secrets that the site or an issuer creates are not
 * checked.
 */
export function checkSecrets(
  rendered: RenderedSite,
  namespace: string,
  names: ReadonlySet<string>,
): void {
  const objects = objectsOf(rendered);
  const made = new Set([
    ...rendered.secrets.map(({ name }) => name),
    ...objects
      .filter(({ kind }) => kind === 'Certificate')
      .map(({ spec }) => (spec as { secretName: string }).secretName),
  ]);
  const users = new Map<string, string[]>();
  for (const object of objects) {
    for (const name of new Set(namedSecrets(object)))
      if (!made.has(name) && !names.has(name))
        users.set(name, [...(users.get(name) ?? []), keyOf(object)]);
  }
  throwFindings(
    [...users]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, by]) => {
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
