import { CcpError, omitUndefined, throwFindings } from '#core';
import type { ClusterKind, KindRef, KubernetesObject } from '#ports';
import { groupKind } from '#site';

/** Hints for kinds that Kubernetes itself does not define. */
const FROM: Readonly<Record<string, string>> = {
  'gateway.networking.k8s.io':
    'install the Gateway API and a controller for it, or expose hosts with an Ingress',
  'cert-manager.io': 'install cert-manager, or name a Secret that you maintain yourself',
};

/** Whether a cluster has a kind in this version. */
export function isKnown({ apiVersion, kind }: KindRef, known: readonly ClusterKind[]): boolean {
  return known.some((each) => each.kind === kind && each.apiVersion === apiVersion);
}

/** Throws `deploy-kind-unknown` for each kind that the cluster does not have. */
export function refuseUnknownKinds(
  objects: readonly KubernetesObject[],
  known: readonly ClusterKind[],
  cluster: string,
): void {
  const missing = new Map(
    objects
      .filter((object) => !isKnown(object, known))
      .map((object) => [groupKind(object), object]),
  );
  throwFindings(
    [...missing.values()].map(({ apiVersion, kind }) => {
      const hint = FROM[apiVersion.split('/')[0]!];
      return new CcpError({
        code: 'deploy-kind-unknown',
        message: `${cluster} does not have the kind ${kind} of ${apiVersion}`,
        ...omitUndefined({ hint }),
      });
    }),
  );
}
