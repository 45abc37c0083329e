import { canonicalJson, sha256, type Digest } from '#core';
import { artifactOf, blobOf, type Artifact } from '../oci.ts';
import { imageSetText } from '../image-set.ts';
import type { ImageSet, ImageSetEntry } from '../types.ts';

/** Type of the artifact of an image set and of its one layer, by format of the set. */
const SET_TYPES: Readonly<Record<ImageSet['format'], string>> = {
  1: 'application/vnd.ccp.image-set.v1+json',
  2: 'application/vnd.ccp.image-set.v2+json',
  3: 'application/vnd.ccp.image-set.v3+json',
};

/** True for the artifact type of a published image set; sets of format 1 are not published. */
export function isSetType(type: string | undefined): boolean {
  return type === SET_TYPES[2] || type === SET_TYPES[3];
}

/** The OCI artifact of an image set: one layer with the text of its file. */
export function setArtifact(set: ImageSet): Artifact {
  const type = SET_TYPES[set.format];
  return artifactOf({
    artifactType: type,
    layers: [
      blobOf(imageSetText(set), type, { 'org.opencontainers.image.title': 'image-set.json' }),
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
