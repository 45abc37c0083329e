import { omitUndefined } from '#core';
import type { KubernetesObject, ObjectRef } from '#ports';

/**
 * `Kind/name`: one object of a site, for people and as a key; a site lives in one namespace, so it
 * is unique.
 */
export type ObjectKey = string;

/** The key of an object or of a reference to one. */
export function keyOf(object: KubernetesObject | ObjectRef): ObjectKey {
  return `${object.kind}/${'metadata' in object ? (object as KubernetesObject).metadata.name : (object as ObjectRef).name}`;
}

/** How the API server is asked for an object. */
export function refOf({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef {
  return {
    apiVersion,
    kind,
    name: metadata.name,
    ...omitUndefined({ namespace: metadata.namespace }),
  };
}
