import { mapLimited, type Digest } from '#core';
import { appSpecArtifact } from '../app-spec-artifact.ts';
import { MANIFEST_TYPE } from '../oci.ts';
import type { ImageSetEntry } from '../types.ts';
import { hasArtifact, readBack, repositoryOf, writeArtifact, type Place } from './place.ts';

/** Requests at a time. */
const REQUESTS = 8;

/**
 * Publishes the app spec of an image, unless the registry has it. True if the registry had a tag
 * for it, but had lost its content.
 */
export async function publishAppSpec(place: Place, { name, app }: ImageSetEntry): Promise<boolean> {
  if (app === undefined) return false;
  const { registry } = place;
  const repository = repositoryOf(place, name);
  const artifact = appSpecArtifact(name, app);
  const tag = appSpecTag(app);
  if (await hasArtifact(place, repository, tag, artifact)) return false;
  const hasTag = (await registry.manifestDigest(repository, tag)) === app.digest;
  await writeArtifact(place, repository, artifact);
  if (!hasTag) await registry.writeManifest(repository, tag, MANIFEST_TYPE, artifact.manifest);
  await readBack(registry, repository, tag, app.digest);
  return hasTag;
}

/** The tag that keeps the artifact of an app spec from a registry's garbage collection. */
export function appSpecTag({ digest }: { readonly digest: Digest }): string {
  return `app-${digest.slice(7, 39)}`;
}

/** True if the registry has the app specs of all these images. */
export async function haveAppSpecs(
  place: Place,
  images: readonly ImageSetEntry[],
): Promise<boolean> {
  const found = await mapLimited(images, REQUESTS, async ({ name, app }) => {
    if (app === undefined) return true;
    const artifact = appSpecArtifact(name, app);
    return hasArtifact(place, repositoryOf(place, name), appSpecTag(app), artifact);
  });
  return found.every(Boolean);
}
