import { rmSync } from 'node:fs';
import { canonicalJson, CcpError, digestOf, parseJson, type Digest } from '#core';
import type { ImageIdentity, StoredImage } from '#ports';
import type { Blobs } from '../layout/blobs.ts';
import type { KnownLayers, StoredLayer } from '../layout/known-layers.ts';
import type { LayerListings } from '../layout/layer-listings.ts';
import {
  asList,
  asRecord,
  MEDIA,
  readDiffIds,
  readManifest,
  type BlobReference,
} from '../layout/oci.ts';
import type { LayerWorkers } from '../normalise/layer-workers.ts';
import { listingFile } from '../normalise/normalise-layer.ts';
import type { ManifestBytes } from '../registry/registry-storage.ts';
import { storeFault } from '../store-fault.ts';
import { composeConfig } from './image-config.ts';

/** The parts of a store that sealing uses. */
export interface SealParts {
  readonly blobs: Blobs;
  /** Blobs that engines pushed. */
  readonly incoming: Blobs;
  readonly known: KnownLayers;
  readonly listings: LayerListings;
  readonly layers: LayerWorkers;
  /** Layers being normalised, by the diff id of the pushed layer. */
  readonly pending: Map<Digest, Promise<StoredLayer>>;
}

/** Maximum size of an unpacked layer, in bytes. */
export const MAX_LAYER = 64 * 2 ** 30;

/**
 * Stores a pushed image in canonical form: canonical layers without the empty ones, and a canonical
 * configuration and manifest. Layers that are already stored, such as the base's, are not
 * normalised again. Throws `push-invalid`, `base-mismatch`, `layer-invalid`, `store-corrupt`,
 * `store-full`,
 * `cancelled`.
 */
export async function sealImage(
  parts: SealParts,
  identity: ImageIdentity,
  pushed: ManifestBytes,
  signal?: AbortSignal,
): Promise<StoredImage> {
  const base = identity.base === undefined ? undefined : readBase(parts.blobs, identity.base);
  const image = parsePushed(identity, () => {
    const manifest = readManifest(parseJson(Buffer.from(pushed.bytes).toString()));
    const config = asRecord(readConfig(parts, manifest.config), 'the configuration');
    const diffIds = readDiffIds(config);
    if (diffIds.length !== manifest.layers.length)
      throw new TypeError(`it has ${manifest.layers.length} layers but ${diffIds.length} diff ids`);
    const platform = `${String(config['os'])}/${String(config['architecture'])}`;
    if (platform !== identity.platform)
      throw new TypeError(`it is for ${platform}, not ${identity.platform}`);
    return {
      config,
      layers: manifest.layers.map((layer, index) => ({ layer, diffId: diffIds[index] as Digest })),
    };
  });
  if (base === undefined) parsePushed(identity, () => refuseInherited(identity, image.config));
  const stored = await Promise.all(
    image.layers.map(({ layer, diffId }) => storeLayer(parts, diffId, layer, signal)),
  );
  const layers = stored.filter((layer) => !layer.empty);
  refuseOtherBase(identity, base?.diffIds ?? [], layers);
  const config = canonicalJson(
    parsePushed(identity, () => composeConfig(image.config, base?.config, identity, layers)),
  );
  const manifest = canonicalJson({
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: { mediaType: MEDIA.config, digest: digestOf(config), size: Buffer.byteLength(config) },
    layers: layers.map(({ digest, size }) => ({ mediaType: MEDIA.layer, digest, size })),
  });
  parts.blobs.put(config);
  const digest = parts.blobs.put(manifest);
  return {
    image: identity.image,
    series: identity.series,
    platform: identity.platform,
    fingerprint: identity.fingerprint,
    contentKey: identity.contentKey,
    digest,
    size: layers.reduce((sum, layer) => sum + layer.unpacked, 0),
    compressedSize: layers.reduce((sum, layer) => sum + layer.size, 0),
  };
}

function readBase(
  blobs: Blobs,
  digest: Digest,
): { readonly config: unknown; readonly diffIds: readonly Digest[] } {
  const { json } = blobs.document(readManifest(blobs.document(digest).json).config);
  return { config: json, diffIds: readDiffIds(json) };
}

function readConfig(parts: SealParts, digest: Digest): unknown {
  return (parts.incoming.size(digest) === undefined ? parts.blobs : parts.incoming).document(digest)
    .json;
}

async function storeLayer(
  parts: SealParts,
  diffId: Digest,
  layer: BlobReference,
  signal: AbortSignal | undefined,
): Promise<StoredLayer> {
  const known = parts.known.find(diffId);
  if (known !== undefined && (known.empty || parts.blobs.size(known.digest) === known.size)) {
    parts.incoming.remove(layer.digest);
    return known;
  }
  const running = parts.pending.get(diffId);
  if (running !== undefined) return running;
  const task = normalise(parts, diffId, layer, signal).finally(() => parts.pending.delete(diffId));
  parts.pending.set(diffId, task);
  return task;
}

async function normalise(
  parts: SealParts,
  diffId: Digest,
  layer: BlobReference,
  signal: AbortSignal | undefined,
): Promise<StoredLayer> {
  const source = parts.incoming.size(layer.digest) === undefined ? parts.blobs : parts.incoming;
  if (source.size(layer.digest) === undefined) {
    throw new CcpError({
      code: 'push-invalid',
      message: `the pushed image refers to layer ${layer.digest}, which is no longer in the store`,
      hint: 'push the image again',
    });
  }
  const output = parts.blobs.scratch();
  const listing = listingFile({ output });
  try {
    const {
      original,
      diffId: canonical,
      unpacked,
      digest,
      size,
      empty,
    } = await parts.layers.normalise(
      { input: source.path(layer.digest), output, limit: MAX_LAYER },
      signal,
    );
    if (original !== diffId) {
      throw new CcpError({
        code: 'push-invalid',
        message: `layer ${layer.digest} has the diff id ${original}, but the pushed image's configuration lists ${diffId}`,
      });
    }
    if (!empty) {
      parts.blobs.adopt(output, digest);
      parts.listings.adopt(listing, digest);
    }
    parts.known.remember({
      original,
      diffId: canonical,
      unpacked,
      digest,
      size,
      empty,
      pushed: layer.digest,
      pushedSize: layer.size,
    });
    if (source === parts.incoming) source.remove(layer.digest);
    return { diffId: canonical, unpacked, digest, size, empty };
  } catch (thrown) {
    throw storeFault(thrown, output);
  } finally {
    rmSync(output, { force: true });
    rmSync(listing, { force: true });
  }
}

function refuseOtherBase(
  identity: ImageIdentity,
  base: readonly Digest[],
  layers: readonly StoredLayer[],
): void {
  if (base.every((diffId, index) => layers[index]?.diffId === diffId)) return;
  throw new CcpError({
    code: 'base-mismatch',
    message: `the pushed image of ${identity.image} is not based on its base image ${identity.base}`,
    hint: 'in its template, start the last stage FROM the base parent',
  });
}

/**
 * Refuses an image without a base parent if its history has steps of another image. BuildKit adds a
 * comment with its name to its own steps, and copies the steps of the image in FROM. Stored images
 * have no such comments.
 */
function refuseInherited(identity: ImageIdentity, config: Readonly<Record<string, unknown>>): void {
  for (const value of asList(config['history'] ?? [], 'history')) {
    const { comment, created_by: step } = asRecord(value, 'a step of the history');
    if (typeof comment === 'string' && comment.startsWith('buildkit.')) continue;
    throw new CcpError({
      code: 'base-mismatch',
      message: `the pushed image of ${identity.image} is based on another image, but its definition has no base parent (step ${JSON.stringify(step ?? '')})`,
      hint: 'in its template, start the last stage FROM scratch',
    });
  }
}

function parsePushed<T>(identity: ImageIdentity, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TypeError) && !(cause instanceof SyntaxError)) throw cause;
    throw new CcpError({
      code: 'push-invalid',
      message: `the pushed image of ${identity.image} is invalid: ${cause.message}`,
      cause,
    });
  }
}
