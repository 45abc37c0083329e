import { existsSync } from 'node:fs';
import { codeOf, messageOf } from '#core';
import type { Cluster, LiveObject } from '#ports';
import type { GateCondition } from './types.ts';

/**
 * Errors that the next check may not see again: the server is starting or busy, or the CRD is not
 * installed yet.
 */
const TRANSIENT = new Set([
  'cluster-unreachable',
  'cluster-busy',
  'cluster-failed',
  'cluster-missing',
  'cluster-kind-unknown',
]);

/**
 * Returns why a condition is not met (a clause), or `undefined` if it is met. Sends read requests
 * only. Throws errors that waiting cannot fix, such as `cluster-denied`.
 */
export async function checkGateCondition(
  condition: GateCondition,
  cluster: () => Promise<Cluster>,
): Promise<string | undefined> {
  if (condition.type === 'file')
    return existsSync(condition.path) ? undefined : 'it does not exist';
  try {
    const connected = await cluster();
    if (condition.type === 'service') return await checkService(condition, connected);
    return condition.type === 'job'
      ? await checkJob(condition, connected)
      : await checkStatus(condition, connected);
  } catch (thrown) {
    if (!TRANSIENT.has(codeOf(thrown) ?? '')) throw thrown;
    return messageOf(thrown);
  }
}

async function checkService(
  { namespace, name }: GateCondition & { readonly type: 'service' },
  cluster: Cluster,
): Promise<string | undefined> {
  const slices = await cluster.list(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    { namespace, labelSelector: `kubernetes.io/service-name=${name}` },
  );
  const endpoints = slices.items.flatMap(
    (slice) =>
      (slice['endpoints'] ?? []) as readonly {
        readonly conditions?: { readonly ready?: boolean };
      }[],
  );
  // An absent `ready` means ready (Kubernetes API reference, EndpointConditions).
  if (endpoints.some(({ conditions }) => conditions?.ready !== false)) return undefined;
  return endpoints.length === 0
    ? 'it has no endpoints'
    : `none of its ${endpoints.length} endpoints is ready`;
}

async function checkJob(
  { namespace, name }: GateCondition & { readonly type: 'job' },
  cluster: Cluster,
): Promise<string | undefined> {
  const job = await cluster.get({ apiVersion: 'batch/v1', kind: 'Job', namespace, name });
  if (job === undefined) return 'it does not exist';
  const failed = conditionIn(job, 'Failed');
  if (conditionIn(job, 'Complete')?.status === 'True') return undefined;
  return failed?.status === 'True'
    ? `it failed: ${failed.reason ?? 'unknown reason'}`
    : 'it is not complete';
}

async function checkStatus(
  {
    apiVersion,
    kind,
    namespace,
    name,
    condition,
    status,
  }: GateCondition & { readonly type: 'condition' },
  cluster: Cluster,
): Promise<string | undefined> {
  const object = await cluster.get({ apiVersion, kind, namespace, name });
  if (object === undefined) return 'it does not exist';
  const found = conditionIn(object, condition);
  if (found?.status === status) return undefined;
  return found === undefined
    ? 'its status does not have this condition'
    : `it is ${found.status}${found.reason === undefined ? '' : `: ${found.reason}`}`;
}

interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

function conditionIn(object: LiveObject, type: string): ObjectCondition | undefined {
  const { conditions = [] } = (object['status'] ?? {}) as {
    readonly conditions?: readonly ObjectCondition[];
  };
  return conditions.find((each) => each.type === type);
}
