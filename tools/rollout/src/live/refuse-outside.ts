import { CcpError } from '#core';
import type { KubernetesObject } from '#ports';

/**
 * Throws `deploy-outside` for an object that is neither in the site's namespace, nor in another
 * namespace that the site renders, nor such a namespace itself.
 */
export function refuseOutside(objects: readonly KubernetesObject[], namespace: string): void {
  const namespaces = new Set([
    namespace,
    ...objects.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name),
  ]);
  for (const object of objects) {
    const inside = object.kind === 'Namespace' || namespaces.has(object.metadata.namespace ?? '');
    if (inside) continue;
    const where =
      object.metadata.namespace === undefined
        ? 'no namespace'
        : `the namespace "${object.metadata.namespace}"`;
    throw new CcpError({
      code: 'deploy-outside',
      message: `${object.kind}/${object.metadata.name} is in ${where}, but the site's objects must be in "${namespace}"`,
    });
  }
}
