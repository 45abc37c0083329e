import { CcpError, counted } from '#core';
import type { AppSpec, ContainerTemplate } from '#definitions';
import type { Instance } from './instances.ts';
import { SECRETS_IMAGE } from './secrets-job.ts';
import type { SiteInput } from './types.ts';

/** Names of the images that an app's containers, jobs, setups, actions and checks run. */
export function imagesOf(spec: AppSpec): ReadonlySet<string> {
  const containers: readonly ContainerTemplate[] = [
    ...Object.values(spec.workloads).flatMap((workload) => Object.values(workload.containers)),
    ...Object.values(spec.provides ?? {}).flatMap(({ setup }) => setup ?? []),
    ...[spec.jobs, spec.actions, spec.checks].flatMap((jobs) => Object.values(jobs ?? {})),
  ];
  return new Set(containers.map(({ image }) => image ?? spec.name));
}

/** `image-missing` with all names where the set lacks more than one image; a single one is told at the place that runs it. */
export function manyMissing({ site, imageSet }: SiteInput, instances: Iterable<Instance>): CcpError[] {
  const there = new Set([...imageSet.images.map(({ name }): string => name), ...Object.keys(site.external ?? {})]);
  const run = new Set([SECRETS_IMAGE, ...[...instances].flatMap(({ spec }) => [...imagesOf(spec)])]);
  const missing = [...run].filter((name) => !there.has(name)).sort();
  if (missing.length < 2) return [];
  return [
    new CcpError({
      code: 'image-missing',
      message: `the site "${site.name}" runs ${counted(missing.length, 'image')} that the image set does not have: ${missing.join(', ')}`,
      hint: `build them: ccp build ${missing.join(' ')}`,
      at: site.position(['apps']),
    }),
  ];
}
