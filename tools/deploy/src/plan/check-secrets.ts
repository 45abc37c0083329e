import { CcpError, throwFindings } from '#core';
import type { KubernetesObject } from '#ports';
import { keyOf } from '../live/object-key.ts';
import { objectsOf } from '../live/read-live.ts';
import type { RenderedSite } from '../types.ts';
import { secretsOf } from './secrets-of.ts';

/** Users that a message names. */
const MOST = 3;

/**
 * Raises `deploy-secret-missing` for each Secret that objects of the site name and that is not among the `names` of its namespace;
 * those that the site itself or an issuer makes are none.
 */
export function checkSecrets(rendered: RenderedSite, namespace: string, names: ReadonlySet<string>): void {
  const objects = objectsOf(rendered);
  const made = new Set([
    ...rendered.secrets.map(({ name }) => name),
    ...objects.filter(({ kind }) => kind === 'Certificate').map(({ spec }) => (spec as { secretName: string }).secretName),
  ]);
  const users = new Map<string, string[]>();
  for (const object of objects) {
    for (const name of new Set(namedSecrets(object))) if (!made.has(name) && !names.has(name)) users.set(name, [...(users.get(name) ?? []), keyOf(object)]);
  }
  throwFindings(
    [...users]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, by]) => {
        const [shown, more] = [by.slice(0, MOST), by.length - MOST];
        const kind = by.some((key) => /^(Ingress|Gateway)\//.test(key)) ? 'tls' : 'generic';
        const users = `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
        const from = kind === 'tls' ? '--cert=FILE --key=FILE' : '--from-file=KEY=FILE';
        return new CcpError({
          code: 'deploy-secret-missing',
          message: `the Secret "${name}" is not in the namespace "${namespace}", and ${users} ${by.length === 1 ? 'needs' : 'need'} it`,
          hint: `make it: kubectl -n ${namespace} create secret ${kind} ${name} ${from}`,
        });
      }),
  );
}

/** Secrets that an object names, the certificates of a Gateway too. */
function namedSecrets(object: KubernetesObject): string[] {
  const { listeners = [] } = (object['spec'] ?? {}) as { listeners?: readonly { tls?: { certificateRefs: readonly { name: string }[] } }[] };
  return [...secretsOf(object['spec']), ...listeners.flatMap(({ tls }) => (tls?.certificateRefs ?? []).map(({ name }) => name))];
}
