import { isDigest, omitUndefined, type Digest } from '#core';
import {
  digestLike,
  isContentDigest,
  type ContentDigest,
  type Sha512Digest,
} from '../registry/content-digest.ts';
import { RegistryFault } from '../registry/registry-fault.ts';
import { REGISTRY_LIMITS } from '../registry/registry-limits.ts';
import type {
  ManifestBytes,
  Referrer,
  RegistryInbox,
  RegistryStorage,
} from '../registry/registry-storage.ts';
import type { Blobs } from './blobs.ts';
import { ANNOTATION, type IndexEntry } from './index-file.ts';
import type { KnownLayers } from './known-layers.ts';

/** Read-only registry storage on a layout: names come from `entries`, documents from `blobs`. */
export function layoutStorage(blobs: Blobs, entries: () => readonly IndexEntry[]): RegistryStorage {
  const named = (name: string): IndexEntry | undefined =>
    entries().find((entry) => entry.annotations?.[ANNOTATION.name] === name);
  return {
    blobSize: (digest) => (isDigest(digest) ? blobs.size(digest) : undefined),
    blobFile: (digest) =>
      isDigest(digest) && blobs.size(digest) !== undefined ? blobs.path(digest) : undefined,
    manifest(repository, reference) {
      const digest = isDigest(reference) ? reference : named(`${repository}:${reference}`)?.digest;
      return digest === undefined || blobs.size(digest) === undefined
        ? undefined
        : storedManifest(blobs, digest);
    },
    tags: (repository) =>
      entries()
        .map((entry) => entry.annotations?.[ANNOTATION.name] ?? '')
        .filter((name) => name.startsWith(`${repository}:`))
        .map((name) => name.slice(repository.length + 1))
        .toSorted(),
    referrers: () => [],
  };
}

/**
 * Registry storage that also accepts pushes, kept apart from the layout until the store is closed.
 */
export interface StoreStorage extends RegistryStorage {
  readonly inbox: RegistryInbox;
}

/**
 * Adds an inbox to `stored`. Pushed blobs go to `incoming`; layers in `known` need not be pushed
 * again. `manifestBytes` is the maximum total size of the pushed manifests.
 */
export function storeStorage(
  stored: RegistryStorage,
  incoming: Blobs,
  known: KnownLayers,
  manifestBytes = REGISTRY_LIMITS.manifestBytes,
): StoreStorage {
  const pushed = new Map<string, ManifestBytes>();
  const aliases = new Map<Sha512Digest, Digest>();
  let size = 0;
  const ownDigest = (digest: ContentDigest): Digest | undefined =>
    isDigest(digest) ? digest : aliases.get(digest);
  const pushedSize = (digest: ContentDigest): number | undefined => {
    const own = ownDigest(digest);
    return own === undefined ? undefined : (incoming.size(own) ?? sizeOfKnown(own));
  };
  const sizeOfKnown = (digest: Digest): number | undefined => {
    const layer = known.findPushed(digest);
    return layer !== undefined && (layer.empty || stored.blobSize(layer.digest) === layer.size)
      ? layer.pushedSize
      : undefined;
  };
  const keysOf = (repository: string): readonly string[] =>
    [...pushed.keys()].filter((key) => key.startsWith(`${repository} `));
  const referenceOf = (key: string): string => key.slice(key.indexOf(' ') + 1);
  return {
    blobSize: (digest) => stored.blobSize(digest) ?? pushedSize(digest),
    blobFile(digest) {
      const own = ownDigest(digest);
      const file = stored.blobFile(digest);
      if (file !== undefined || own === undefined || incoming.size(own) === undefined) return file;
      return incoming.path(own);
    },
    manifest: (repository, reference) =>
      pushed.get(`${repository} ${reference}`) ?? stored.manifest(repository, reference),
    tags: (repository) =>
      [
        ...new Set([
          ...stored.tags(repository),
          ...keysOf(repository)
            .map(referenceOf)
            .filter((reference) => !isContentDigest(reference)),
        ]),
      ].toSorted(),
    referrers: (repository, digest) =>
      keysOf(repository)
        .map((key) => ({ reference: referenceOf(key), manifest: pushed.get(key)! }))
        .flatMap(({ reference, manifest }) =>
          isContentDigest(reference) ? referrerOf(manifest, reference, digest) : [],
        ),
    inbox: {
      scratch: () => incoming.scratch(),
      putBlob(file, digest, alias) {
        incoming.adopt(file, digest);
        if (alias !== undefined) aliases.set(alias, digest);
      },
      putManifest(repository, reference, manifest) {
        size += manifest.bytes.length;
        if (size > manifestBytes)
          throw new RegistryFault(
            413,
            'SIZE_INVALID',
            `the manifests pushed in one run must not exceed ${manifestBytes} bytes`,
          );
        const digest = digestLike(reference, manifest.bytes);
        pushed.set(`${repository} ${digest}`, manifest).set(`${repository} ${reference}`, manifest);
        return digest;
      },
      deleteBlob(digest) {
        const own = ownDigest(digest);
        if (own === undefined || incoming.size(own) === undefined) return false;
        incoming.remove(own);
        return true;
      },
      deleteManifest(repository, reference) {
        if (!isContentDigest(reference)) return pushed.delete(`${repository} ${reference}`);
        const keys = keysOf(repository).filter(
          (key) => digestLike(reference, pushed.get(key)!.bytes) === reference,
        );
        for (const key of keys) pushed.delete(key);
        return keys.length > 0;
      },
    },
  };
}

function storedManifest(blobs: Blobs, digest: Digest): ManifestBytes | undefined {
  const { bytes, json } = blobs.document(digest);
  const mediaType =
    typeof json === 'object' && json !== null && 'mediaType' in json ? json.mediaType : undefined;
  return typeof mediaType === 'string' ? { mediaType, bytes } : undefined;
}

/** The entry of a manifest in the list of `subject`; empty if it has another subject. */
function referrerOf(
  { bytes, mediaType }: ManifestBytes,
  digest: ContentDigest,
  subject: ContentDigest,
): readonly Referrer[] {
  const manifest = JSON.parse(Buffer.from(bytes).toString()) as {
    subject?: { digest?: string };
    artifactType?: string;
    config?: { mediaType?: string };
    annotations?: Record<string, string>;
  };
  if (manifest.subject?.digest !== subject) return [];
  const { artifactType = manifest.config?.mediaType, annotations } = manifest;
  return [
    { mediaType, digest, size: bytes.length, ...omitUndefined({ artifactType, annotations }) },
  ];
}
