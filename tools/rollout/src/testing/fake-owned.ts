import { canonicalJson, sha256, type Json } from '#core';
import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';

export function ownedBy(cluster: FakeCluster, owner: LiveObject, kind: string): LiveObject[] {
  return cluster.store
    .all()
    .filter(
      (object) =>
        object.kind === kind && object.metadata.ownerReferences?.[0]?.uid === owner.metadata.uid,
    );
}

export function templateHash(owner: LiveObject): string {
  return sha256(canonicalJson((owner['spec'] as { template: Json }).template)).slice(0, 8);
}

export function numberOf({ metadata }: LiveObject): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
}

export function podRef(namespace: string, name: string) {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name };
}
