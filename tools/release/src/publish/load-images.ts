import pLimit from 'p-limit';
import type { ImageContent } from '#ports';
import type { ImageSetEntry } from '../types.ts';
import { repositoryOf, type Place } from './place.ts';
import { lostImages, pushImages } from './push-images.ts';
import { tagImage } from './tag-image.ts';

/** Requests at a time. */
const REQUESTS = 8;

/**
 * Copies images to a registry, with the tags of their fingerprints but without sets and statements.
 * Content that the registry has is not copied. Resolves with the number of uploaded bytes.
 */
export async function loadImages(
  place: Place,
  content: ImageContent,
  images: readonly ImageSetEntry[],
): Promise<number> {
  const limit = pLimit(REQUESTS);
  const found = await Promise.all(
    images.map((entry) =>
      limit(async () => {
        const repository = repositoryOf(place, entry.name);
        return (await place.registry.manifestDigest(repository, entry.digest)) === entry.digest;
      }),
    ),
  );
  const present = images.filter((_, index) => found[index] === true);
  const lost = new Set(await lostImages(place, content, present));
  const missing = images.filter((entry) => !present.includes(entry) || lost.has(entry));
  const kept = present.filter((entry) => !lost.has(entry));
  const uploaded = await pushImages(place, content, missing, kept);
  await Promise.all(images.map((entry) => limit(() => tagImage(place, entry))));
  return uploaded;
}
