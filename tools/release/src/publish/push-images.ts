import pLimit from 'p-limit';
import { CcpError, type Digest } from '#core';
import type { ImageContent } from '#ports';
import { MANIFEST_TYPE, manifestParts, type BlobDescriptor } from '../oci.ts';
import type { ImageSetEntry } from '../types.ts';
import { readBack, repositoryOf, type Place } from './place.ts';

/** Uploads at a time. */
const UPLOADS = 4;
/** Other requests at a time. */
const REQUESTS = 8;

/** An image with its stored manifest. */
interface Local {
  readonly entry: ImageSetEntry;
  readonly repository: string;
  readonly manifest: Uint8Array;
  readonly blobs: readonly BlobDescriptor[];
}

/**
 * Writes the blobs of images, then their manifests by digest, and reads the manifests back. Each
 * blob is uploaded once, to the repository of the first image that has it, and mounted in the
 * others. `present` images are in the registry already: their blobs are only mounted from. Resolves
 * with the number of uploaded bytes.
 */
export async function pushImages(
  place: Place,
  content: ImageContent,
  missing: readonly ImageSetEntry[],
  present: readonly ImageSetEntry[],
): Promise<number> {
  const { registry } = place;
  const limit = pLimit(UPLOADS);
  let uploaded = 0;
  const wanted = parentsFirst(missing).map((entry) => localOf(place, content, entry));
  const owners = new Map<Digest, string>();
  for (const { repository, blobs } of [
    ...present.map((entry) => localOf(place, content, entry)),
    ...wanted,
  ])
    for (const { digest } of blobs) if (!owners.has(digest)) owners.set(digest, repository);
  const upload = async (repository: string, { digest, size }: BlobDescriptor): Promise<void> => {
    let sent = 0;
    await registry.writeBlob(repository, digest, size, async function* () {
      sent = 0;
      for await (const chunk of content.blob(digest)) {
        sent += chunk.length;
        yield chunk;
      }
    });
    uploaded += sent;
  };
  const all = wanted.flatMap(({ repository, blobs }) =>
    blobs.map((blob) => ({ repository, blob, owner: owners.get(blob.digest)! })),
  );
  const own = all.filter(({ repository, owner }) => repository === owner);
  await Promise.all(own.map(({ repository, blob }) => limit(() => upload(repository, blob))));
  const others = all.filter(({ repository, owner }) => repository !== owner);
  await Promise.all(
    others.map(({ repository, blob, owner }) =>
      limit(async () => {
        if (!(await registry.mountBlob(repository, blob.digest, owner)))
          await upload(repository, blob);
      }),
    ),
  );
  await Promise.all(
    wanted.map(({ entry, repository, manifest }) =>
      limit(async () => {
        await registry.writeManifest(repository, entry.digest, MANIFEST_TYPE, manifest);
        await readBack(registry, repository, entry.digest, entry.digest);
      }),
    ),
  );
  return uploaded;
}

/** The images of `entries` with a blob that the registry does not have. */
export async function lostImages(
  place: Place,
  content: ImageContent,
  entries: readonly ImageSetEntry[],
): Promise<readonly ImageSetEntry[]> {
  const { registry } = place;
  const limit = pLimit(REQUESTS);
  const isWhole = await Promise.all(
    entries.map(async (entry) => {
      const { repository, blobs } = localOf(place, content, entry);
      const found = await Promise.all(
        blobs.map(({ digest }) => limit(() => registry.hasBlob(repository, digest))),
      );
      return found.every(Boolean);
    }),
  );
  return entries.filter((_, index) => isWhole[index] !== true);
}

function localOf(place: Place, content: ImageContent, entry: ImageSetEntry): Local {
  const manifest = content.document(entry.digest);
  return {
    entry,
    repository: repositoryOf(place, entry.name),
    manifest,
    blobs: blobsIn(manifest, entry),
  };
}

function blobsIn(manifest: Uint8Array, { name }: ImageSetEntry): readonly BlobDescriptor[] {
  const { config, layers } = manifestParts(manifest);
  if (config !== undefined) return [config, ...layers];
  throw new CcpError({
    code: 'store-corrupt',
    message: `the stored manifest of ${name} has no image configuration`,
    hint: `build the image again: ccp build ${name}`,
  });
}

function parentsFirst(entries: readonly ImageSetEntry[]): readonly ImageSetEntry[] {
  const byName = new Map(entries.map((entry) => [entry.name, entry]));
  const ordered = new Set<ImageSetEntry>();
  const visit = (entry: ImageSetEntry, path: readonly ImageSetEntry[]): void => {
    if (path.includes(entry)) return;
    for (const parent of Object.values(entry.parents)) {
      const found = byName.get(parent);
      if (found !== undefined && !ordered.has(found)) visit(found, [...path, entry]);
    }
    ordered.add(entry);
  };
  for (const entry of entries) visit(entry, []);
  return [...ordered];
}
