import type { KubernetesObject, LiveObject } from '#ports';

export interface ClaimSpec {
  readonly volumeName?: string;
  readonly storageClassName?: string;
  readonly resources?: { readonly requests?: { readonly storage?: string } };
}

export interface ClaimTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: ClaimSpec;
}

/** Whether no volume was ever bound to a claim, so it contains no data. */
export function isUnbound({ metadata, spec, status }: LiveObject): boolean {
  const { volumeName = '' } = (spec ?? {}) as ClaimSpec;
  return (
    volumeName === '' &&
    (status as { readonly phase?: string } | undefined)?.phase === 'Pending' &&
    metadata.deletionTimestamp === undefined
  );
}

/** The templates of a StatefulSet's claims. */
export function claimTemplates(object: KubernetesObject | undefined): readonly ClaimTemplate[] {
  return (
    (object?.['spec'] as { readonly volumeClaimTemplates?: readonly ClaimTemplate[] } | undefined)
      ?.volumeClaimTemplates ?? []
  );
}

/** The text about a claim that cannot be changed without losing its data. */
export function keptClaimText(live: KubernetesObject, desired: KubernetesObject): string {
  return `keeps ${requestText(live['spec'] as ClaimSpec)}, because it may contain data; the site requests ${requestText(desired['spec'] as ClaimSpec)}`;
}

/** The size and class that a claim requests: `1Gi of class standard`. */
export function requestText({ storageClassName, resources }: ClaimSpec): string {
  return `${resources?.requests?.storage ?? 'any size'} of ${storageClassName === undefined ? 'the default class' : `class ${storageClassName}`}`;
}
