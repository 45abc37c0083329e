import type { ReplicatedWorkload, Site, Workload } from '#definitions';
import type { Instance } from './instance.ts';

/** Name of a workload's objects: the instance's where the workload is the app's main one. */
export function objectName(instance: Pick<Instance, 'name' | 'spec'>, workload: string): string {
  return workload === instance.spec.name ? instance.name : `${instance.name}-${workload}`;
}

/** Name of the database, virtual host or user of an instance. */
export function accountName(
  { name, spec }: Pick<Instance, 'name' | 'spec'>,
  requirement: string,
): string {
  const { name: given = name, suffix = '' } = spec.requires?.[requirement] ?? {};
  return `${given}${suffix}`;
}

/** Names of the databases that an instance has for a requirement. */
export function databaseNames(
  instance: Pick<Instance, 'name' | 'spec'>,
  requirement: string,
): string[] {
  const account = accountName(instance, requirement);
  const { also = [] } = instance.spec.requires?.[requirement] ?? {};
  return [account, ...also.map((suffix) => `${account}${suffix}`)];
}

/** Replicas of a workload at this site. */
export function replicasOf(
  instance: Pick<Instance, 'settings'>,
  name: string,
  workload: ReplicatedWorkload,
): number {
  return instance.settings.replicas?.[name] ?? workload.replicas.default;
}

/**
 * Series of the pods of a workload: the series of the site, or the image reference if the site
 * replaces the image.
 */
export function podSeries(
  instance: Pick<Instance, 'spec'>,
  workload: Workload,
  { series, external }: Pick<Site, 'series' | 'external'>,
): string {
  const [container] = Object.values(workload.containers);
  return external?.[container?.image ?? instance.spec.name]?.reference ?? series;
}

/**
 * Name of a generated Secret in the generation of this site: one of the `secrets` of the app, or of
 * its requirements with an account. Each generation is a Secret of its own: pods use it from their
 * rollout on, and a rollback still finds the previous one.
 */
export function secretName(
  instance: Pick<Instance, 'name' | 'settings'>,
  name: string,
  generation = generationOf(instance, name),
): string {
  return generation === 1 ? `${instance.name}-${name}` : `${instance.name}-${name}-g${generation}`;
}

/** Which generation of a Secret the site wants; 1 is the first. */
export function generationOf({ settings }: Pick<Instance, 'settings'>, name: string): number {
  return settings.generations?.[name] ?? 1;
}

/** Service that leads to every ready pod of a workload. */
export function serviceHost(
  object: string,
  at: { readonly namespace: string; readonly domain: string },
): string {
  return `${object}.${at.namespace}.svc.${at.domain}`;
}

/** Name of the headless Service that leads to each pod of a StatefulSet or DaemonSet. */
export function peersService(object: string): string {
  return `${object}-peers`;
}

/**
 * Name of the Service that leads to every ready pod of a workload whose own Service leads to one.
 */
export function readersService(object: string): string {
  return `${object}-readers`;
}
