import type { KubernetesObject } from '#ports';

interface ClaimTemplate {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly storageClassName?: string; readonly resources?: { readonly requests?: { readonly storage?: string } } };
}

/** What stays of the claims of a StatefulSet that is made anew with other ones, since claims are never replaced; `undefined` where none is different. */
export function keptClaims(live: KubernetesObject, desired: KubernetesObject): string | undefined {
  const before = new Map(templatesOf(live).map((template) => [template.metadata.name, asked(template)]));
  const kept = templatesOf(desired).flatMap((template) => {
    const [old, fresh] = [before.get(template.metadata.name), asked(template)];
    return old === undefined || old === fresh ? [] : [`${template.metadata.name} (${old}, and ${fresh} only where there is none yet)`];
  });
  return kept.length === 0 ? undefined : `claims that are there stay as they are: ${kept.join(', ')}`;
}

function templatesOf(object: KubernetesObject): readonly ClaimTemplate[] {
  return (object['spec'] as { readonly volumeClaimTemplates?: readonly ClaimTemplate[] } | undefined)?.volumeClaimTemplates ?? [];
}

function asked({ spec: { storageClassName, resources } }: ClaimTemplate): string {
  return `${resources?.requests?.storage ?? 'any size'} of ${storageClassName === undefined ? 'the default class' : `class ${storageClassName}`}`;
}
