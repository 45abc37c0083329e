import { CcpError } from '#core';
import type { KubernetesObject, ObjectRef } from '#ports';

/** `Kind/name`: one object of a site, for people and as a key; a site lives in one namespace, so it is unique. */
export type ObjectKey = string;

/** The key of an object or of a reference to one. */
export function keyOf(object: KubernetesObject | ObjectRef): ObjectKey {
  return `${object.kind}/${'metadata' in object ? (object as KubernetesObject).metadata.name : (object as ObjectRef).name}`;
}

/** How the API server is asked for an object. */
export function refOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef {
  return { apiVersion, kind, name: metadata.name, ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }) };
}

/** Raises `deploy-outside` for an object that is neither in the site's namespace nor that namespace itself. */
export function refuseOutside(objects: readonly KubernetesObject[], namespace: string): void {
  for (const object of objects) {
    const inside = object.kind === 'Namespace' ? object.metadata.name === namespace : object.metadata.namespace === namespace;
    if (inside) continue;
    const where = object.metadata.namespace === undefined ? 'no namespace' : `the namespace "${object.metadata.namespace}"`;
    throw new CcpError({ code: 'deploy-outside', message: `${keyOf(object)} is in ${where}, and the site may only have objects in "${namespace}"` });
  }
}
