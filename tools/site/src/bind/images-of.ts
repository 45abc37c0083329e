import { CcpError, counted } from '#core';
import type { AppSpec, ContainerTemplate } from '#definitions';
import type { Instance } from '../model/instance.ts';
import type { SiteInput } from '../model/types.ts';
import { invalid, valid, type Checked } from './checked.ts';

/** Names of the images that an app's containers, jobs, setups, actions and checks run. */
export function imagesOf(spec: AppSpec): ReadonlySet<string> {
  const containers: readonly ContainerTemplate[] = [
    ...Object.values(spec.workloads).flatMap((workload) => Object.values(workload.containers)),
    ...Object.values(spec.provides ?? {}).flatMap(({ setup }) => setup ?? []),
    ...[spec.jobs, spec.actions, spec.checks].flatMap((jobs) => Object.values(jobs ?? {})),
  ];
  return new Set(containers.map(({ image }) => image ?? spec.name));
}

/**
 * Returns one `image-missing` error if the set lacks two or more images. A single missing image is
 * reported where it is used.
 */
export function missingImageErrors(
  { site, imageSet }: SiteInput,
  instances: Iterable<Instance>,
): CcpError[] {
  const there = new Set([
    ...imageSet.images.map(({ name }): string => name),
    ...Object.keys(site.external ?? {}),
  ]);
  const run = new Set([
    SECRETS_IMAGE,
    ...[...instances].flatMap(({ spec }) => [...imagesOf(spec)]),
  ]);
  const missing = [...run].filter((name) => !there.has(name)).sort();
  if (missing.length < 2) return [];
  return [
    new CcpError({
      code: 'image-missing',
      message: `the site "${site.name}" runs ${counted(missing.length, 'image')} that are not in the image set: ${missing.join(', ')}`,
      hint: `build them: ccp build ${missing.join(' ')}`,
      at: site.position(['apps']),
    }),
  ];
}

/**
 * Image of the Secrets job. The job needs Python only; every set with an OpenStack service has this
 * image.
 */
export const SECRETS_IMAGE = 'openstack-base';

/** Reference of the image that the Secrets job runs. */
export function secretsImage({ site, imageSet }: SiteInput): Checked<string> {
  const built = imageSet.images.find(({ name }) => name === SECRETS_IMAGE);
  const reference =
    site.external?.[SECRETS_IMAGE]?.reference ??
    (built === undefined ? undefined : `${site.registry}/${SECRETS_IMAGE}@${built.digest}`);
  if (reference !== undefined) return valid(reference);
  return invalid({
    code: 'image-missing',
    message: `Secrets are made in the image "${SECRETS_IMAGE}", which the image set does not have`,
    hint: `build it: ccp build ${SECRETS_IMAGE}`,
  });
}
