import { canonicalJson, sha256, type Digest } from '#core';
import { artifactOf, blobOf, type Artifact } from '../oci.ts';
import { imageSetText } from '../image-set.ts';
import type { ImageSet, ImageSetEntry } from '../types.ts';

/** Type of the artifact of an image set and of its one layer. */
export const SET_TYPE = 'application/vnd.ccp.image-set.v2+json';

/** The OCI artifact of an image set: one layer with the text of its file. */
export function setArtifact(set: ImageSet): Artifact {
  return artifactOf({
    artifactType: SET_TYPE,
    layers: [
      blobOf(imageSetText(set), SET_TYPE, { 'org.opencontainers.image.title': 'image-set.json' }),
    ],
    annotations: { 'ccp.series': set.series, 'ccp.platform': set.platform },
  });
}

/** The tag of a set: it names the content, so it never moves. */
export function setTag({ series }: Pick<ImageSet, 'series'>, digest: Digest): string {
  return `${series}-${digest.slice(7, 39)}`;
}

/** A tag for a set of these inputs, so that a plan can find the set by one request. */
export function inputsTag(images: readonly Pick<ImageSetEntry, 'name' | 'fingerprint'>[]): string {
  const pairs = images.map(({ name, fingerprint }) => `${name} ${fingerprint}`).sort();
  return `inputs-${sha256(canonicalJson(pairs)).slice(0, 32)}`;
}
