import { CcpError, omitUndefined, type ImageName } from '#core';
import type { BuildPlan } from '#plan';
import { findImages, repositoryOf, type Place, type PublishedImage } from '#release';
import { openStore } from '#store';
import type { Output } from '../report/output.ts';
import { openPassedTests } from '../state/passed-tests.ts';
import { definitionOf } from './inputs.ts';
import { expectationsKey } from './definition-expectations.ts';
import type { Project } from './project.ts';
import { openPlace, trustedKeys, type TrustFlags } from './registry-place.ts';

/** Images of a plan that a trusted builder published. */
export interface PublishedImages {
  readonly place: Place;
  readonly images: ReadonlyMap<ImageName, PublishedImage>;
}

/** The images that a plan would build and that `from` has. Throws `untrusted`. */
export async function publishedImages(
  { settings }: Project,
  plan: BuildPlan,
  from: string,
  flags: TrustFlags,
): Promise<PublishedImages> {
  const place = await openPlace(from, '--from');
  const planned = plan.images.map(({ image, fingerprint, action }) => ({
    image,
    fingerprint,
    series: plan.series,
    platform: plan.platform,
    action,
  }));
  const wanted = planned.filter(({ action }) => action === 'build');
  const keys = trustedKeys(settings, flags);
  return { place, images: await findImages({ place, keys, planned, wanted }) };
}

/**
 * Copies published images into the store, where the next plan finds them. Their tests count as
 * passed if the builder ran the tests of this workspace.
 */
export async function fetchPublished(
  project: Project,
  { place, images }: PublishedImages,
  output: Pick<Output, 'info'>,
): Promise<void> {
  if (images.size === 0) return;
  const passed = openPassedTests(project.paths, project.series.name);
  const store = await openStore({ folder: project.paths.store });
  try {
    for (const [name, { tests, ...image }] of images) {
      const repository = repositoryOf(place, name);
      output.info(`fetching ${name} from ${place.registry.host}/${repository}`);
      const manifest = await place.registry.readManifest(repository, image.digest);
      if (manifest === undefined)
        throw new CcpError({
          code: 'set-incomplete',
          message: `${place.registry.host} lacks ${repository}@${image.digest}`,
          hint: 'publish the set again: ccp publish',
        });
      await store.adopt(image, manifest.bytes, (blob) => place.registry.readBlob(repository, blob));
      const key = expectationsKey(definitionOf(project, name));
      if (tests === key) passed.add(name, image.digest, key);
    }
  } finally {
    await store.close();
  }
}

/** A line about published images for the summary of a plan. */
export function publishedLine(from: string, images: PublishedImages['images']): string {
  const names = [...images.keys()];
  return names.length === 0
    ? `${from} has none of the images to build`
    : `${from} has ${names.join(', ')}; \`ccp build --from ${from}\` fetches instead of building`;
}

/** The published images as JSON. */
export function publishedJson(images: PublishedImages['images']): object {
  return Object.fromEntries(
    [...images].map(([name, { digest, tests }]) => [name, { digest, ...omitUndefined({ tests }) }]),
  );
}
