import type { LiveObject } from '#ports';

/**
 * The manager that last set a workload's replicas, from its managed fields; `undefined` if no
 * manager owns the field, as after the subresource `scale` set it to 0 (seen in Kubernetes 1.36).
 */
export function replicasOwner({ metadata }: LiveObject): string | undefined {
  const owners = (metadata.managedFields ?? []).filter(
    ({ fieldsV1 }) =>
      (fieldsV1?.['f:spec'] as { readonly 'f:replicas'?: object } | undefined)?.['f:replicas'] !==
      undefined,
  );
  return owners.sort((a, b) => ((a.time ?? '') < (b.time ?? '') ? -1 : 1)).at(-1)?.manager;
}
