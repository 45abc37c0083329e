import { CcpError, mapLimited, tagPart, type ImageName } from '#core';
import type { StoredImage } from '#ports';
import type { PublicKey } from '../sign/keys.ts';
import { IMAGE_RECORD, recordedImage, type PublishedImage } from './image-record.ts';
import { repositoryOf, type Place } from './place.ts';
import { inputsTag } from './set-artifact.ts';
import { findStatement } from './statements.ts';
import { trustedSet, untrusted } from './verify-set.ts';

/** Requests at a time. */
const REQUESTS = 8;

const UNUSABLE_SET = ['set-missing', 'untrusted', 'image-set-invalid', 'image-set-format'];

export type WantedImage = Pick<StoredImage, 'image' | 'series' | 'platform' | 'fingerprint'>;

export interface FindImages {
  readonly place: Place;
  readonly keys: readonly PublicKey[];
  /** All images of the plan: their fingerprints name the set that has them all. */
  readonly planned: readonly WantedImage[];
  /** The images to find. */
  readonly wanted: readonly WantedImage[];
}

/**
 * The wanted images that a trusted builder published: from the set of the plan's inputs if there is
 * one, else each image by its fingerprint. Throws `untrusted` for an image that is there without a
 * trusted signature.
 */
export async function findImages({
  place,
  keys,
  planned,
  wanted,
}: FindImages): Promise<ReadonlyMap<ImageName, PublishedImage>> {
  if (keys.length === 0)
    throw untrusted(`${place.registry.host}/${place.prefix}`, 'no key is trusted');
  if (wanted.length === 0) return new Map();
  const found = new Map<ImageName, PublishedImage>();
  for (const image of await imagesOfSet(place, keys, planned)) found.set(image.image, image);
  const single = await mapLimited(
    wanted.filter(({ image }) => !found.has(image)),
    REQUESTS,
    (image) => findImage(place, keys, image),
  );
  for (const image of single) if (image !== undefined) found.set(image.image, image);
  return new Map(
    wanted.flatMap(({ image }) => (found.has(image) ? [[image, found.get(image)!]] : [])),
  );
}

async function imagesOfSet(
  place: Place,
  keys: readonly PublicKey[],
  planned: readonly WantedImage[],
): Promise<readonly PublishedImage[]> {
  const tag = inputsTag(planned.map(({ image, fingerprint }) => ({ name: image, fingerprint })));
  try {
    const { set } = await trustedSet(place, tag, keys);
    const byFingerprint = new Map(planned.map((image) => [image.fingerprint, image]));
    return set.images.flatMap(
      ({ name, fingerprint, digest, size, compressedSize, contentKey = '', tests }) => {
        const image = byFingerprint.get(fingerprint);
        if (image?.image !== name || set.series !== image.series) return [];
        const { series, platform } = image;
        const stored = { image: name, series, platform, fingerprint, digest, contentKey };
        const sizes = { size, compressedSize };
        return [{ ...stored, ...sizes, ...(tests === undefined ? {} : { tests }) }];
      },
    );
  } catch (thrown) {
    // The images are looked up one by one then, and refused there.
    if (thrown instanceof CcpError && UNUSABLE_SET.includes(thrown.code)) return [];
    throw thrown;
  }
}

async function findImage(
  place: Place,
  keys: readonly PublicKey[],
  wanted: WantedImage,
): Promise<PublishedImage | undefined> {
  const repository = repositoryOf(place, wanted.image);
  const tag = `${wanted.series}-${tagPart(wanted.fingerprint)}`;
  const digest = await place.registry.manifestDigest(repository, tag);
  if (digest === undefined) return undefined;
  const subject = { repository, digest };
  const found = await findStatement(place, subject, keys, { predicateType: IMAGE_RECORD });
  const image = typeof found === 'string' ? found : recordedImage(found.predicate, digest, wanted);
  if (typeof image !== 'string') return image;
  throw untrusted(`${place.registry.host}/${repository}:${tag}`, image);
}
