import { join } from 'node:path';
import { canonicalJson, type ImageName, type Json } from '#core';
import { repositoryOf, type ImageSet, type ImageSetEntry, type Place } from '#release';
import { compareImages, openStore, type ImageDifference } from '#store';
import type { RebuiltDifference } from '../report/rebuilt-text.ts';

/** A set without its OpenVEX documents, which are decisions of people and not made by a build. */
export function withoutDecisions(set: ImageSet): ImageSet {
  const images = set.images.map((entry) => {
    if (entry.statements?.vex === undefined) return entry;
    const { vex: _, ...statements } = entry.statements;
    return { ...entry, statements };
  });
  return { ...set, images };
}

/** The images of two sets that are not equal, sorted by name. */
export function rebuiltDifferences(
  released: Pick<ImageSet, 'images'>,
  rebuilt: Pick<ImageSet, 'images'>,
): readonly RebuiltDifference[] {
  const byName = ({ images }: Pick<ImageSet, 'images'>): ReadonlyMap<ImageName, ImageSetEntry> =>
    new Map(images.map((entry) => [entry.name, entry]));
  const [before, after] = [byName(released), byName(rebuilt)];
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((image) => {
    const [first, second] = [before.get(image), after.get(image)];
    const fields = changedKeys(first, second);
    return fields.length === 0
      ? []
      : [{ image, fields, digests: [first?.digest ?? null, second?.digest ?? null] as const }];
  });
}

function changedKeys(
  first: ImageSetEntry | undefined,
  second: ImageSetEntry | undefined,
): readonly string[] {
  if (first === undefined || second === undefined) return ['name'];
  const keys = new Set([...Object.keys(first), ...Object.keys(second)]);
  const valueOf = (entry: ImageSetEntry, key: string): string =>
    canonicalJson(((entry as unknown as Record<string, Json>)[key] ?? null) as Json);
  return [...keys].sort().filter((key) => valueOf(first, key) !== valueOf(second, key));
}

/**
 * Copies the released images that differ to a layout in `folder`, and compares each with the
 * rebuilt one in the layout `rebuilt`.
 */
export async function compareWithReleased(
  place: Place,
  released: ImageSet,
  differences: readonly RebuiltDifference[],
  { folder, rebuilt }: { readonly folder: string; readonly rebuilt: string },
): Promise<ReadonlyMap<ImageName, ImageDifference>> {
  const layout = join(folder, 'released');
  const found = new Map<ImageName, ImageDifference>();
  for (const { image, digests } of differences) {
    const [first, second] = digests;
    const entry = released.images.find(({ name }) => name === image);
    if (first === null || second === null || first === second || entry === undefined) continue;
    await copyImage(place, released, entry, layout);
    const pair = [
      { folder: layout, digest: first },
      { folder: rebuilt, digest: second },
    ] as const;
    found.set(image, await compareImages(...pair));
  }
  return found;
}

async function copyImage(
  { registry, prefix }: Place,
  { series, platform }: ImageSet,
  { name: image, fingerprint, contentKey = '', digest, size, compressedSize }: ImageSetEntry,
  folder: string,
): Promise<void> {
  const repository = repositoryOf({ prefix }, image);
  const manifest = await registry.readManifest(repository, digest);
  if (manifest === undefined) return;
  const stored = { image, series, platform, fingerprint, contentKey, digest, size, compressedSize };
  const store = await openStore({ folder });
  try {
    await store.adopt(stored, manifest.bytes, (blob) => registry.readBlob(repository, blob));
  } finally {
    await store.close();
  }
}
