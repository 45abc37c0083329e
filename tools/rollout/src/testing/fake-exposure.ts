import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';
import { refOf } from '#site';
import type { Behaviour } from './fake-kubelet.ts';

/** Kinds whose controllers are not part of Kubernetes. */
export const EXPOSURE_KINDS: ReadonlySet<string> = new Set(['Gateway', 'HTTPRoute', 'Certificate']);

/**
 * Adds the status that controllers of the Gateway API and cert-manager write; refused for an object
 * that is not healthy.
 */
export function settleWay(cluster: FakeCluster, object: LiveObject, behaviour: Behaviour): void {
  const { generation } = object.metadata;
  const is = behaviour === 'well';
  const condition = (type: string, reason: string, message: string): object => ({
    type,
    status: is ? 'True' : 'False',
    observedGeneration: generation,
    ...(is ? { reason: type, message: '' } : { reason, message }),
  });
  const before = JSON.stringify(object['status']);
  const status = { ...(object['status'] as object | undefined), ...statusOf(object, condition) };
  if (before !== JSON.stringify(status)) cluster.setStatus(refOf(object), status);
}

function statusOf(
  { kind, spec }: LiveObject,
  condition: (type: string, reason: string, message: string) => object,
): Record<string, unknown> {
  if (kind === 'Certificate')
    return {
      conditions: [
        condition('Ready', 'DoesNotExist', 'Issuing certificate as Secret does not exist'),
      ],
    };
  if (kind === 'Gateway')
    return {
      conditions: [
        condition('Accepted', 'Invalid', 'no such class'),
        condition('Programmed', 'AddressNotAssigned', 'no address yet'),
      ],
    };
  const { parentRefs } = spec as { parentRefs: readonly object[] };
  return {
    parents: parentRefs.map((parentRef) => ({
      parentRef,
      controllerName: 'test/gateway',
      conditions: [
        condition('Accepted', 'NotAllowedByListeners', 'no listener takes it'),
        condition('ResolvedRefs', 'BackendNotFound', 'no such Service'),
      ],
    })),
  };
}
