import { CcpError, mapLimited, type Digest } from '#core';
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
  await mapLimited(own, UPLOADS, ({ repository, blob }) => upload(repository, blob));
  const others = all.filter(({ repository, owner }) => repository !== owner);
  await mapLimited(others, UPLOADS, async ({ repository, blob, owner }) => {
    if (!(await registry.mountBlob(repository, blob.digest, owner))) await upload(repository, blob);
  });
  await mapLimited(wanted, UPLOADS, async ({ entry, repository, manifest }) => {
    await registry.writeManifest(repository, entry.digest, MANIFEST_TYPE, manifest);
    await readBack(registry, repository, entry.digest, entry.digest);
  });
  return uploaded;
}

/** The images of `entries` with a blob that the registry does not have. */
export async function lostImages(
  place: Place,
  content: ImageContent,
  entries: readonly ImageSetEntry[],
): Promise<readonly ImageSetEntry[]> {
  const { registry } = place;
  const wanted = entries.flatMap((entry) => {
    const { repository, blobs } = localOf(place, content, entry);
    return blobs.map(({ digest }) => ({ entry, repository, digest }));
  });
  const lost = await mapLimited(wanted, REQUESTS, async ({ entry, repository, digest }) =>
    (await registry.hasBlob(repository, digest)) ? undefined : entry,
  );
  const found = new Set(lost);
  return entries.filter((entry) => found.has(entry));
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
