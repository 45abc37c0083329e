import type { KubernetesObject, LiveObject } from '#ports';
import { requestText, claimTemplates } from './claim-templates.ts';

/**
 * The text about existing claims that a replaced StatefulSet keeps, since claims are never
 * replaced; `undefined` if no claim differs. A claim template is left out if all its existing
 * `claims` were never bound and are created again too: their names are in `remade`.
 */
export function keptClaims(
  live: KubernetesObject,
  desired: KubernetesObject,
  {
    claims = [],
    remade = [],
  }: { readonly claims?: readonly LiveObject[]; readonly remade?: readonly string[] } = {},
): string | undefined {
  const before = new Map(
    claimTemplates(live).map(({ metadata, spec }) => [metadata.name, requestText(spec)]),
  );
  const kept = claimTemplates(desired).flatMap(({ metadata: { name }, spec }) => {
    const [old, fresh] = [before.get(name), requestText(spec)];
    const there = claims.filter((claim) =>
      claim.metadata.name.startsWith(`${name}-${desired.metadata.name}-`),
    );
    const isGone = there.length > 0 && there.every((claim) => remade.includes(claim.metadata.name));
    return old === undefined || old === fresh || isGone
      ? []
      : [`${name} (${old}; ${fresh} only for new claims)`];
  });
  return kept.length === 0 ? undefined : `existing claims are kept: ${kept.join(', ')}`;
}
