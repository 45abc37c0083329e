import { quantity } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';
import { askedText, claimTemplates, isUnbound, type ClaimSpec } from './claim-templates.ts';
import { replicasIn } from './members.ts';
import type { RemadeClaim } from './types.ts';

/**
 * Claims of a StatefulSet that were never bound and ask for another class or size than it does: they would wait for ever, since
 * its controller leaves claims as they are. Those of pods that it is not to have stay until it is.
 */
export function unboundClaims(desired: KubernetesObject, live: KubernetesObject | undefined, claims: readonly LiveObject[]): RemadeClaim[] {
  const byName = new Map(claims.filter(isUnbound).map((claim) => [claim.metadata.name, claim]));
  if (desired.kind !== 'StatefulSet' || byName.size === 0) return [];
  const before = new Map(claimTemplates(live).map(({ metadata, spec }) => [metadata.name, spec]));
  return Array.from({ length: replicasIn(desired) ?? 1 }).flatMap((_, index) =>
    claimTemplates(desired).flatMap(({ metadata: { name }, spec }) => {
      const claim = byName.get(`${name}-${desired.metadata.name}-${index}`);
      if (claim === undefined || isAskedFor(claim['spec'] as ClaimSpec, spec, before.get(name))) return [];
      const reason = `it asks for ${askedText(claim['spec'] as ClaimSpec)} and was never bound, so it holds no data`;
      return [{ name: claim.metadata.name, uid: claim.metadata.uid, pod: `${desired.metadata.name}-${index}`, asked: askedText(spec), reason }];
    }),
  );
}

/** A template without a class asks for the default one, whose name the server enters into each claim: then only a class that the template before named is another. */
function isAskedFor(claim: ClaimSpec, template: ClaimSpec, before: ClaimSpec | undefined): boolean {
  const [is, asked] = [claim, template].map(({ resources }) => quantity(resources?.requests?.storage ?? '0'));
  if (is !== asked && !Number.isNaN(is! + asked!)) return false;
  const { storageClassName: wanted } = template;
  if (wanted !== undefined) return claim.storageClassName === wanted;
  return before?.storageClassName === undefined || before.storageClassName !== claim.storageClassName;
}
