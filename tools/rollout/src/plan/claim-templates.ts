import {
  asKind,
  type ClaimSpec,
  type ClaimTemplate,
  type KubernetesObject,
  type LiveObject,
} from '#ports';

/** Whether no volume was ever bound to a claim, so it contains no data. */
export function isUnbound(claim: LiveObject): boolean {
  const { spec, status } = asKind('PersistentVolumeClaim', claim);
  return (
    (spec?.volumeName ?? '') === '' &&
    status?.phase === 'Pending' &&
    claim.metadata.deletionTimestamp === undefined
  );
}

/** The templates of a StatefulSet's claims. */
export function claimTemplates(object: KubernetesObject | undefined): readonly ClaimTemplate[] {
  return asKind('Workload', object)?.spec?.volumeClaimTemplates ?? [];
}

/** The text about a claim that cannot be changed without losing its data. */
export function keptClaimText(live: KubernetesObject, desired: KubernetesObject): string {
  return `keeps ${requestText(asKind('PersistentVolumeClaim', live).spec)}, because it may contain data; the site requests ${requestText(asKind('PersistentVolumeClaim', desired).spec)}`;
}

/** The size and class that a claim requests: `1Gi of class standard`. */
export function requestText({ storageClassName, resources }: ClaimSpec = {}): string {
  return `${resources?.requests?.storage ?? 'any size'} of ${storageClassName === undefined ? 'the default class' : `class ${storageClassName}`}`;
}
