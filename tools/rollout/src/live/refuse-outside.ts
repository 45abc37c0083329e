import { CcpError } from '#core';
import type { KubernetesObject } from '#ports';
import { keyOf } from '#site';

/**
 * Throws `deploy-outside` for an object that is neither in the site's namespace nor that namespace
 * itself.
 */
export function refuseOutside(objects: readonly KubernetesObject[], namespace: string): void {
  for (const object of objects) {
    const inside =
      object.kind === 'Namespace'
        ? object.metadata.name === namespace
        : object.metadata.namespace === namespace;
    if (inside) continue;
    const where =
      object.metadata.namespace === undefined
        ? 'no namespace'
        : `the namespace "${object.metadata.namespace}"`;
    throw new CcpError({
      code: 'deploy-outside',
      message: `${keyOf(object)} is in ${where}, but the site's objects must be in "${namespace}"`,
    });
  }
}
