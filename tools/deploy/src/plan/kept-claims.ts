import type { KubernetesObject, LiveObject } from '#ports';
import { askedText, claimTemplates } from './claim-templates.ts';

/**
 * What stays of the claims of a StatefulSet that is made anew with other ones, since claims are never replaced; `undefined` where none
 * is different. Nothing stays where each of `claims`, those that are there, was never bound and is made anew too: `remade` are their names.
 */
export function keptClaims(
  live: KubernetesObject,
  desired: KubernetesObject,
  { claims = [], remade = [] }: { readonly claims?: readonly LiveObject[]; readonly remade?: readonly string[] } = {},
): string | undefined {
  const before = new Map(claimTemplates(live).map(({ metadata, spec }) => [metadata.name, askedText(spec)]));
  const kept = claimTemplates(desired).flatMap(({ metadata: { name }, spec }) => {
    const [old, fresh] = [before.get(name), askedText(spec)];
    const there = claims.filter((claim) => claim.metadata.name.startsWith(`${name}-${desired.metadata.name}-`));
    const isGone = there.length > 0 && there.every((claim) => remade.includes(claim.metadata.name));
    return old === undefined || old === fresh || isGone ? [] : [`${name} (${old}, and ${fresh} only where there is none yet)`];
  });
  return kept.length === 0 ? undefined : `claims that are there stay as they are: ${kept.join(', ')}`;
}
