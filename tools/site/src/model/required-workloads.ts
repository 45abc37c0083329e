import type { Workload } from '#definitions';
import type { Instance } from './instance.ts';

/**
 * Returns the workloads that a workload waits for. `local` requires a pod on the same node. Unbound
 * requirements are left out.
 */
export function requiredWorkloads(
  { name, bindings, spec }: Instance,
  { requires = [] }: Workload,
): { readonly instance: string; readonly workload: string; readonly local: boolean }[] {
  return requires.flatMap((required) => {
    const [wanted = '', suffix] = required.split(':');
    const local = suffix === 'local';
    if (Object.hasOwn(spec.workloads, wanted)) return [{ instance: name, workload: wanted, local }];
    const binding = bindings.get(wanted);
    return binding !== undefined && 'provider' in binding
      ? [{ instance: binding.provider, workload: binding.workload, local }]
      : [];
  });
}
