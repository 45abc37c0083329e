import { existsSync } from 'node:fs';
import { codeOf, messageOf } from '#core';
import type { Cluster, LiveObject } from '#ports';
import type { Condition } from './types.ts';

/** Faults that may be over at the next look: the server is not there yet, has too much to do, or does not know the kind yet. */
const PASSING = new Set(['cluster-unreachable', 'cluster-busy', 'cluster-failed', 'cluster-missing', 'cluster-kind-unknown']);

/**
 * Why a condition does not hold yet, as a clause; `undefined` where it does. Only reads. Raises what waiting cannot mend, as
 * `cluster-denied`.
 */
export async function checkCondition(condition: Condition, cluster: () => Promise<Cluster>): Promise<string | undefined> {
  if (condition.type === 'file') return existsSync(condition.path) ? undefined : 'it is not there';
  try {
    const connected = await cluster();
    if (condition.type === 'service') return await checkService(condition, connected);
    return condition.type === 'job' ? await checkJob(condition, connected) : await checkStatus(condition, connected);
  } catch (thrown) {
    if (!PASSING.has(codeOf(thrown) ?? '')) throw thrown;
    return messageOf(thrown);
  }
}

async function checkService({ namespace, name }: Condition & { readonly type: 'service' }, cluster: Cluster): Promise<string | undefined> {
  const slices = await cluster.list(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    { namespace, labelSelector: `kubernetes.io/service-name=${name}` },
  );
  const endpoints = slices.items.flatMap((slice) => (slice['endpoints'] ?? []) as readonly { readonly conditions?: { readonly ready?: boolean } }[]);
  // Absent means ready (API reference of EndpointConditions).
  if (endpoints.some(({ conditions }) => conditions?.ready !== false)) return undefined;
  return endpoints.length === 0 ? 'it has no endpoint' : `none of its ${endpoints.length} endpoints is ready`;
}

async function checkJob({ namespace, name }: Condition & { readonly type: 'job' }, cluster: Cluster): Promise<string | undefined> {
  const job = await cluster.get({ apiVersion: 'batch/v1', kind: 'Job', namespace, name });
  if (job === undefined) return 'it does not exist';
  const failed = conditionIn(job, 'Failed');
  if (conditionIn(job, 'Complete')?.status === 'True') return undefined;
  return failed?.status === 'True' ? `it failed: ${failed.reason ?? 'no reason is given'}` : 'it is not complete';
}

async function checkStatus(
  { apiVersion, kind, namespace, name, condition, status }: Condition & { readonly type: 'condition' },
  cluster: Cluster,
): Promise<string | undefined> {
  const object = await cluster.get({ apiVersion, kind, namespace, name });
  if (object === undefined) return 'it does not exist';
  const found = conditionIn(object, condition);
  if (found?.status === status) return undefined;
  return found === undefined ? 'it has no such condition' : `it is ${found.status}${found.reason === undefined ? '' : `: ${found.reason}`}`;
}

interface ObjectCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

function conditionIn(object: LiveObject, type: string): ObjectCondition | undefined {
  const { conditions = [] } = (object['status'] ?? {}) as { readonly conditions?: readonly ObjectCondition[] };
  return conditions.find((each) => each.type === type);
}
