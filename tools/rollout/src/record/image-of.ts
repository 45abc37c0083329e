import { asKind, type KubernetesObject } from '#ports';

/** Image of the first container of an object's pods. */
export function imageOf(object: KubernetesObject): string {
  return asKind('Workload', object).spec?.template?.spec?.containers?.[0]?.image ?? '';
}
