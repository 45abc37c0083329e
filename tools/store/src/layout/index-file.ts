import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CcpError,
  codeOf,
  isDigest,
  isImageName,
  isRecord,
  messageOf,
  parseJson,
  platform,
  series,
  tagPart,
  type Fingerprint,
} from '#core';
import type { Descriptor, StoredImage } from '#ports';

/** Annotation keys on an image's descriptor in index.json. */
export const ANNOTATION = {
  name: 'org.opencontainers.image.ref.name',
  image: 'ccp.image',
  series: 'ccp.series',
  fingerprint: 'ccp.fingerprint',
  contentKey: 'ccp.content-key',
  size: 'ccp.size',
  compressedSize: 'ccp.compressed-size',
} as const;

const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

/** A descriptor in index.json, with its optional platform. */
export interface IndexEntry extends Descriptor {
  readonly platform?: { readonly os: string; readonly architecture: string };
}

/** The named images of a store, with a map for each lookup key. */
export interface StoreIndex {
  readonly images: readonly StoredImage[];
  readonly byFingerprint: ReadonlyMap<Fingerprint, StoredImage>;
  readonly byContentKey: ReadonlyMap<string, StoredImage>;
  /** `IMAGE:SERIES-32HEX` -> image. */
  readonly byName: ReadonlyMap<string, StoredImage>;
}

/** `IMAGE:SERIES-32HEX`: the version's name in the layout and in registry references. */
export function refName(image: Pick<StoredImage, 'image' | 'series' | 'fingerprint'>): string {
  return `${image.image}:${image.series}-${tagPart(image.fingerprint)}`;
}

/** The descriptor under which index.json names an image; `manifestSize` in bytes. */
export function indexEntry(image: StoredImage, manifestSize: number): IndexEntry {
  const [os = '', architecture = ''] = image.platform.split('/');
  return {
    mediaType: MANIFEST_TYPE,
    digest: image.digest,
    size: manifestSize,
    platform: { os, architecture },
    annotations: {
      [ANNOTATION.name]: refName(image),
      [ANNOTATION.image]: image.image,
      [ANNOTATION.series]: image.series,
      [ANNOTATION.fingerprint]: image.fingerprint,
      [ANNOTATION.contentKey]: image.contentKey,
      [ANNOTATION.size]: String(image.size),
      [ANNOTATION.compressedSize]: String(image.compressedSize),
    },
  };
}

const lineOf = oncePerEntry((entry) => JSON.stringify(entry));

/** The image that a descriptor describes; undefined if the descriptor was not written by ccp. */
export const storedImageOf = oncePerEntry(readImage);

function readImage(entry: IndexEntry): StoredImage | undefined {
  const notes = entry.annotations ?? {};
  const image = notes[ANNOTATION.image];
  const fingerprint = notes[ANNOTATION.fingerprint];
  if (
    image === undefined ||
    !isImageName(image) ||
    fingerprint === undefined ||
    !isDigest(`sha256:${fingerprint}`)
  )
    return undefined;
  return {
    image,
    series: series(notes[ANNOTATION.series] ?? ''),
    platform: platform(`${entry.platform?.os}/${entry.platform?.architecture}`),
    fingerprint: fingerprint as Fingerprint,
    contentKey: notes[ANNOTATION.contentKey] ?? '',
    digest: entry.digest,
    size: Number(notes[ANNOTATION.size] ?? 0),
    compressedSize: Number(notes[ANNOTATION.compressedSize] ?? 0),
  };
}

/**
 * The descriptors in `folder`/index.json; empty if the file does not exist. Throws `store-corrupt`.
 */
export function readIndexEntries(folder: string): readonly IndexEntry[] {
  const file = join(folder, 'index.json');
  const text = readIndex(file);
  if (text === undefined) return [];
  try {
    const index = parseJson(text);
    const manifests: unknown = isRecord(index) ? index['manifests'] : undefined;
    if (!Array.isArray(manifests)) throw new Error('it has no "manifests" list');
    for (const entry of manifests as Partial<IndexEntry>[]) {
      if (typeof entry?.digest !== 'string' || !isDigest(entry.digest))
        throw new Error('a manifest has no digest');
    }
    return manifests as IndexEntry[];
  } catch (cause) {
    throw noIndex(file, cause);
  }
}

function readIndex(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw codeOf(cause) === 'EISDIR' ? noIndex(file, cause) : cause;
  }
}

function noIndex(file: string, cause: unknown): CcpError {
  return new CcpError({
    code: 'store-corrupt',
    message: `${file} is not the index of an OCI image layout: ${messageOf(cause)}`,
    hint: 'delete the store with `ccp clean --all` and build again; the cache of locked inputs is kept',
    cause,
  });
}

/**
 * The named images of the store in `folder`, read without opening the store and without importing
 * its other modules. A store that does not exist is empty. Throws `store-corrupt`.
 */
export function readStoreIndex(folder: string): StoreIndex {
  const images = readIndexEntries(folder)
    .map((entry) => readImage(entry))
    .filter((image) => image !== undefined);
  return {
    images,
    byFingerprint: new Map(images.map((image) => [image.fingerprint, image])),
    byContentKey: new Map(images.map((image) => [image.contentKey, image])),
    byName: new Map(images.map((image) => [refName(image), image])),
  };
}

/** The text of an index.json: one entry per line, sorted by name. */
export function formatIndex(entries: readonly IndexEntry[]): string {
  const key = (entry: IndexEntry): string => entry.annotations?.[ANNOTATION.name] ?? entry.digest;
  const lines = [...entries]
    .sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
    .map(lineOf);
  return `{"schemaVersion":2,"mediaType":"${INDEX_TYPE}","manifests":[\n${lines.join(',\n')}\n]}\n`;
}

/** Caches `make` by descriptor: the whole index is processed again for every change. */
function oncePerEntry<T>(make: (entry: IndexEntry) => T): (entry: IndexEntry) => T {
  const made = new WeakMap<IndexEntry, { readonly value: T }>();
  return (entry) => {
    const known = made.get(entry) ?? { value: make(entry) };
    made.set(entry, known);
    return known.value;
  };
}
