import type { InstanceInput } from './instance-input.ts';

/** Whether pods of an instance call the API server. */
export function callsApi({ spec }: Pick<InstanceInput['instance'], 'spec'>): boolean {
  return (
    Object.values(spec.workloads).some(({ leader }) => leader !== undefined) ||
    Object.values(spec.actions ?? {}).some(({ rotates }) => rotates !== undefined)
  );
}
