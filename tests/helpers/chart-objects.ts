import type { KubernetesObject } from '#ports';

/** Objects by kind, namespace and name, without the annotation by which Helm keeps them. */
export function byName(
  objects: readonly KubernetesObject[],
): ReadonlyMap<string, KubernetesObject> {
  return new Map(
    objects
      .map((object) => {
        const { annotations = {}, ...metadata } = object.metadata;
        const { 'helm.sh/resource-policy': _, ...own } = annotations;
        const rest = Object.keys(own).length === 0 ? {} : { annotations: own };
        const without = JSON.parse(
          JSON.stringify({ ...object, metadata: { ...metadata, ...rest } }),
        ) as KubernetesObject;
        return [`${object.kind}/${metadata.namespace}/${metadata.name}`, without] as const;
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
