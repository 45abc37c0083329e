import { quantity } from '#formats';
import { asKind, type ClaimSpec, type KubernetesObject, type LiveObject } from '#ports';
import { replicasIn } from '../live/replicas-in.ts';
import { requestText, claimTemplates, isUnbound } from './claim-templates.ts';
import type { RemadeClaim } from './types.ts';

/**
 * Claims of a StatefulSet that were never bound and request another class or size than its
 * template. They would wait forever, since the controller does not change claims. Claims of pods
 * beyond the replicas are kept until the set is scaled up.
 */
export function unboundClaims(
  desired: KubernetesObject,
  live: KubernetesObject | undefined,
  claims: readonly LiveObject[],
): RemadeClaim[] {
  const byName = new Map(claims.filter(isUnbound).map((claim) => [claim.metadata.name, claim]));
  if (desired.kind !== 'StatefulSet' || byName.size === 0) return [];
  const before = new Map(claimTemplates(live).map(({ metadata, spec }) => [metadata.name, spec]));
  return Array.from({ length: replicasIn(desired) ?? 1 }).flatMap((_, index) =>
    claimTemplates(desired).flatMap(({ metadata: { name }, spec }) => {
      const claim = byName.get(`${name}-${desired.metadata.name}-${index}`);
      if (claim === undefined) return [];
      const { spec: current = {} } = asKind('PersistentVolumeClaim', claim);
      if (isAskedFor(current, spec, before.get(name))) return [];
      const reason = `it requests ${requestText(current)} and was never bound, so it contains no data`;
      return [
        {
          name: claim.metadata.name,
          uid: claim.metadata.uid,
          pod: `${desired.metadata.name}-${index}`,
          asked: requestText(spec),
          reason,
        },
      ];
    }),
  );
}

/**
 * A template without a class requests the default class, whose name the server writes into each
 * claim: such a claim differs only by the class that the previous template named.
 */
function isAskedFor(claim: ClaimSpec, template: ClaimSpec, before: ClaimSpec | undefined): boolean {
  const [is, asked] = [claim, template].map(({ resources }) =>
    quantity(resources?.requests?.storage ?? '0'),
  );
  if (is !== asked && !Number.isNaN(is! + asked!)) return false;
  const { storageClassName: wanted } = template;
  if (wanted !== undefined) return claim.storageClassName === wanted;
  return (
    before?.storageClassName === undefined || before.storageClassName !== claim.storageClassName
  );
}
