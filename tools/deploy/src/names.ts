import type { ReplicatedWorkload } from '#definitions';
import type { Instance } from './instances.ts';

/** Name of a workload's objects: the instance's where the workload is the app's main one. */
export function objectName(instance: Pick<Instance, 'name' | 'spec'>, workload: string): string {
  return workload === instance.spec.name ? instance.name : `${instance.name}-${workload}`;
}

/** Replicas of a workload at this site. */
export function replicasOf(instance: Pick<Instance, 'settings'>, name: string, workload: ReplicatedWorkload): number {
  return instance.settings.replicas?.[name] ?? workload.replicas.default;
}

/** Service that leads to every ready pod of a workload. */
export function serviceHost(object: string, at: { readonly namespace: string; readonly domain: string }): string {
  return `${object}.${at.namespace}.svc.${at.domain}`;
}

/** Name of the headless Service that gives the pods of a StatefulSet their names. */
export function peersService(object: string): string {
  return `${object}-peers`;
}
