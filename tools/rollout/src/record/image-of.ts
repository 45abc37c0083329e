import type { KubernetesObject } from '#ports';

/** Image of the first container of an object's pods. */
export function imageOf(object: KubernetesObject): string {
  const spec = object['spec'] as
    { template?: { spec?: { containers?: readonly { image?: string }[] } } } | undefined;
  return spec?.template?.spec?.containers?.[0]?.image ?? '';
}
