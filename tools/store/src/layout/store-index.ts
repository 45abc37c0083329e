import { join } from 'node:path';
import type { Fingerprint } from '#core';
import type { StoredImage } from '#ports';
import { writeFileAtomic } from './atomic-file.ts';
import type { Blobs } from './blobs.ts';
import { inGroups } from './in-groups.ts';
import { formatIndex, imageOf, indexEntry, readIndexEntries, refName, type IndexEntry } from './index-file.ts';

/**
 * The names of a store that is open for writing. Changes are written in turn, and together where they come while others are; when the
 * promise of one is kept, a kill costs nothing of it and a loss of power, until the store is closed, at most its name: what it names
 * is on the disk.
 */
export interface NamedImages {
  entries(): readonly IndexEntry[];
  list(): readonly StoredImage[];
  byFingerprint(fingerprint: Fingerprint): StoredImage | undefined;
  byContentKey(contentKey: string): StoredImage | undefined;
  /** Names an image; another of the same name makes room. */
  add(image: StoredImage): Promise<void>;
  /** Leaves the names of images whose fingerprint is in `keep`, and of what is no image of ours. */
  retain(keep: ReadonlySet<Fingerprint>): Promise<void>;
}

/** Whether it is an image of ours of that name. */
function isNamed(entry: IndexEntry, name: string): boolean {
  const image = imageOf(entry);
  return image !== undefined && refName(image) === name;
}

type Edit = (entries: readonly IndexEntry[]) => readonly IndexEntry[];

/** The names in `folder`/index.json. Raises `store-corrupt` now, `store-full` on a change. */
export async function openNamedImages(folder: string, blobs: Blobs, scratch: string): Promise<NamedImages> {
  let entries: readonly IndexEntry[] = [];
  let byFingerprint = new Map<Fingerprint, StoredImage>();
  let byContentKey = new Map<string, StoredImage>();
  const take = (next: readonly IndexEntry[]): void => {
    entries = next;
    const images = next.map((entry) => imageOf(entry)).filter((image) => image !== undefined);
    byFingerprint = new Map(images.map((image) => [image.fingerprint, image]));
    byContentKey = new Map(images.map((image) => [image.contentKey, image]));
  };
  const write = async (edits: readonly Edit[]): Promise<void> => {
    await blobs.flush();
    const next = edits.reduce((before, edit) => edit(before), entries);
    await writeFileAtomic(join(folder, 'index.json'), formatIndex(next), scratch);
    take(next);
  };
  const change = inGroups(write);
  take(readIndexEntries(folder));
  if (entries.length === 0) await change(() => []);
  return {
    entries: () => entries,
    list: () => [...byFingerprint.values()],
    byFingerprint: (fingerprint) => byFingerprint.get(fingerprint),
    byContentKey: (contentKey) => byContentKey.get(contentKey),
    async add(image) {
      const name = refName(image);
      const entry = indexEntry(image, blobs.document(image.digest).bytes.length);
      await change((before) => [...before.filter((other) => !isNamed(other, name)), entry]);
    },
    retain: (keep) =>
      change((before) =>
        before.filter((entry) => {
          const image = imageOf(entry);
          return image === undefined || keep.has(image.fingerprint);
        }),
      ),
  };
}
