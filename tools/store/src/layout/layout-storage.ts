import { digestOf, isDigest, omitUndefined, type Digest } from '#core';
import type { Descriptor } from '#ports';
import { RegistryFault } from '../registry/registry-fault.ts';
import { REGISTRY_LIMITS } from '../registry/registry-limits.ts';
import type {
  ManifestBytes,
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
    blobSize: (digest) => blobs.size(digest),
    blobFile: (digest) => (blobs.size(digest) === undefined ? undefined : blobs.path(digest)),
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
        .map((name) => name.slice(repository.length + 1)),
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
  let size = 0;
  const sizeOfKnown = (digest: Digest): number | undefined => {
    const layer = known.findPushed(digest);
    return layer !== undefined && (layer.empty || stored.blobSize(layer.digest) === layer.size)
      ? layer.pushedSize
      : undefined;
  };
  return {
    blobSize: (digest) => stored.blobSize(digest) ?? incoming.size(digest) ?? sizeOfKnown(digest),
    blobFile: (digest) =>
      stored.blobFile(digest) ??
      (incoming.size(digest) === undefined ? undefined : incoming.path(digest)),
    manifest: (repository, reference) =>
      pushed.get(`${repository} ${reference}`) ?? stored.manifest(repository, reference),
    tags: (repository) => [
      ...stored.tags(repository),
      ...[...pushed.keys()]
        .filter((key) => key.startsWith(`${repository} `) && !key.includes(' sha256:'))
        .map((key) => key.slice(repository.length + 1)),
    ],
    referrers: (repository, digest) =>
      referrersOf(
        [...pushed]
          .filter(([key]) => key.startsWith(`${repository} sha256:`))
          .map(([, manifest]) => manifest),
        digest,
      ),
    inbox: {
      scratch: () => incoming.scratch(),
      putBlob: (file, digest) => incoming.adopt(file, digest),
      putManifest(repository, reference, manifest) {
        size += manifest.bytes.length;
        if (size > manifestBytes)
          throw new RegistryFault(
            413,
            'SIZE_INVALID',
            `the manifests pushed in one run must not exceed ${manifestBytes} bytes`,
          );
        const digest = digestOf(manifest.bytes);
        pushed.set(`${repository} ${digest}`, manifest).set(`${repository} ${reference}`, manifest);
        return digest;
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

function referrersOf(manifests: readonly ManifestBytes[], subject: Digest): readonly Descriptor[] {
  return manifests.flatMap(({ bytes, mediaType }) => {
    const manifest = JSON.parse(Buffer.from(bytes).toString()) as {
      subject?: { digest?: string };
      artifactType?: string;
      annotations?: Record<string, string>;
    };
    if (manifest.subject?.digest !== subject) return [];
    const { artifactType, annotations } = manifest;
    return [
      {
        mediaType,
        digest: digestOf(bytes),
        size: bytes.length,
        ...omitUndefined({ artifactType }),
        ...omitUndefined({ annotations }),
      },
    ];
  });
}
