import { omitUndefined } from '#core';
import type { KubernetesObject, ObjectRef } from '#ports';

/**
 * One object of a site, for people and as a key: `Kind/name` in the site's namespace,
 * `Kind/NAMESPACE/name` in another one.
 */
export type ObjectKey = string;

/** The part of a site that keys depend on. */
export interface Home {
  readonly namespace: string;
}

/** The key of an object, or of a reference to one, of a site. */
export function keyOf(object: KubernetesObject | ObjectRef, home: Home): ObjectKey {
  const { namespace = home.namespace, name } = (
    'metadata' in object ? object.metadata : object
  ) as Pick<ObjectRef, 'name' | 'namespace'>;
  return namespace === home.namespace
    ? `${object.kind}/${name}`
    : `${object.kind}/${namespace}/${name}`;
}

/** The kind of the object of a key. */
export function kindOfKey(key: ObjectKey): string {
  return key.slice(0, key.indexOf('/'));
}

/**
 * How the API server is asked for the object of a key, which must be of a kind with a namespace.
 */
export function refOfKey(key: ObjectKey, apiVersion: string, home: Home): ObjectRef {
  const [kind = '', ...path] = key.split('/');
  const [name = '', namespace = home.namespace] = path.reverse();
  return { apiVersion, kind, name, namespace };
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
