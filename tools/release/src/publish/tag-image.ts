import { omitUndefined } from '#core';
import type { ImageSetEntry } from '../types.ts';
import { writeTagOnce, type Sleep } from './decide-tag.ts';
import { readBack, repositoryOf, type Place } from './place.ts';

/**
 * Names an image by its fingerprint, unless another builder was first. Builders of different bytes
 * agree on one digest. `sleep` waits between looks at other builders; it is a timer by default.
 */
export async function tagImage(
  { registry, prefix }: Place,
  { name, version, digest }: ImageSetEntry,
  sleep?: Sleep,
): Promise<void> {
  const repository = repositoryOf({ prefix }, name);
  const manifest = await registry.readManifest(repository, digest);
  if (manifest === undefined) return readBack(registry, repository, digest, digest);
  await writeTagOnce({
    registry,
    repository,
    tag: version,
    manifest: manifest.bytes,
    ...omitUndefined({ sleep }),
  });
}
