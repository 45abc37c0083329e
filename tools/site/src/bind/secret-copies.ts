import type { BoundPod, Work } from '../model/bound.ts';
import { workloadNamespace, type Namespaces } from '../model/namespaces.ts';
import { secretName } from '../model/names.ts';
import type { SecretRequest } from '../model/types.ts';

/** The requests, with the other namespaces whose pods use each Secret. */
export function withCopies(
  requests: readonly SecretRequest[],
  works: readonly Work<BoundPod>[],
  site: Namespaces,
): readonly SecretRequest[] {
  const copies = new Map<string, Set<string>>();
  for (const work of works) {
    if (work.kind !== 'workload') continue;
    const namespace = workloadNamespace(site, work.workload);
    if (namespace === site.namespace) continue;
    for (const name of secretsOfPod(work))
      copies.set(name, (copies.get(name) ?? new Set()).add(namespace));
  }
  return requests.map((request) => {
    const namespaces = copies.get(request.name);
    return namespaces === undefined ? request : { ...request, copies: [...namespaces].sort() };
  });
}

/** Names of the Secrets that the pods of a workload use. */
function secretsOfPod({
  workload,
  pod,
}: Extract<Work<BoundPod>, { readonly kind: 'workload' }>): readonly string[] {
  return [
    ...Object.values(pod.containers).flatMap(({ env }) =>
      env.flatMap((variable) =>
        'valueFrom' in variable && 'secretKeyRef' in variable.valueFrom
          ? [variable.valueFrom.secretKeyRef.name]
          : [],
      ),
    ),
    ...Object.values(workload.volumes ?? {}).flatMap(({ secret }) =>
      secret === undefined ? [] : [secretName(pod.instance, secret)],
    ),
  ];
}
