import { join } from 'node:path';
import type { Fingerprint } from '#core';
import type { StoredImage } from '#ports';
import { writeFileAtomic } from './atomic-file.ts';
import type { Blobs } from './blobs.ts';
import { groupWrites } from './group-writes.ts';
import {
  formatIndex,
  storedImageOf,
  indexEntry,
  readIndexEntries,
  refName,
  type IndexEntry,
} from './index-file.ts';

/**
 * The names in a store that is open for writing. Changes are written one after another; changes
 * that arrive during a write are written together. A change whose promise has resolved survives a
 * kill. Until the store is closed, a power loss can cost the name, but the blobs are on the disk.
 */
export interface NamedImages {
  entries(): readonly IndexEntry[];
  list(): readonly StoredImage[];
  byFingerprint(fingerprint: Fingerprint): StoredImage | undefined;
  byContentKey(contentKey: string): StoredImage | undefined;
  /** Names an image; replaces an image with the same name. */
  add(image: StoredImage): Promise<void>;
  /** Removes the names of ccp's images whose fingerprint is not in `keep`. */
  retain(keep: ReadonlySet<Fingerprint>): Promise<void>;
}

/** True if the entry is an image of ccp with that name. */
function isNamed(entry: IndexEntry, name: string): boolean {
  const image = storedImageOf(entry);
  return image !== undefined && refName(image) === name;
}

type Edit = (entries: readonly IndexEntry[]) => readonly IndexEntry[];

/** Opens `folder`/index.json. Throws `store-corrupt`; changes throw `store-full`. */
export async function openNamedImages(
  folder: string,
  blobs: Blobs,
  scratch: string,
): Promise<NamedImages> {
  let entries: readonly IndexEntry[] = [];
  let byFingerprint = new Map<Fingerprint, StoredImage>();
  let byContentKey = new Map<string, StoredImage>();
  const setEntries = (next: readonly IndexEntry[]): void => {
    entries = next;
    const images = next.map((entry) => storedImageOf(entry)).filter((image) => image !== undefined);
    byFingerprint = new Map(images.map((image) => [image.fingerprint, image]));
    byContentKey = new Map(images.map((image) => [image.contentKey, image]));
  };
  const write = async (edits: readonly Edit[]): Promise<void> => {
    await blobs.flush();
    const next = edits.reduce((before, edit) => edit(before), entries);
    await writeFileAtomic(join(folder, 'index.json'), formatIndex(next), scratch);
    setEntries(next);
  };
  const change = groupWrites(write);
  setEntries(readIndexEntries(folder));
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
          const image = storedImageOf(entry);
          return image === undefined || keep.has(image.fingerprint);
        }),
      ),
  };
}
