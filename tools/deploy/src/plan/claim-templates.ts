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

/** Whether no volume was ever bound to a claim: it holds no data. */
export function isUnbound({ metadata, spec, status }: LiveObject): boolean {
  const { volumeName = '' } = (spec ?? {}) as ClaimSpec;
  return volumeName === '' && (status as { readonly phase?: string } | undefined)?.phase === 'Pending' && metadata.deletionTimestamp === undefined;
}

/** The templates of a StatefulSet's claims. */
export function claimTemplates(object: KubernetesObject | undefined): readonly ClaimTemplate[] {
  return (object?.['spec'] as { readonly volumeClaimTemplates?: readonly ClaimTemplate[] } | undefined)?.volumeClaimTemplates ?? [];
}

/** What is said of a claim that cannot be made what is asked for without its data. */
export function keptText(live: KubernetesObject, desired: KubernetesObject): string {
  return `stays with ${askedText(live['spec'] as ClaimSpec)}, since it may hold data; the site asks for ${askedText(desired['spec'] as ClaimSpec)}`;
}

/** What a claim asks for: `1Gi of class standard`. */
export function askedText({ storageClassName, resources }: ClaimSpec): string {
  return `${resources?.requests?.storage ?? 'any size'} of ${storageClassName === undefined ? 'the default class' : `class ${storageClassName}`}`;
}
