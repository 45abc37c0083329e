import { rmSync } from 'node:fs';
import { canonicalJson, CcpError, digestOf, type Digest } from '#core';
import type { ImageIdentity, StoredImage } from '#ports';
import { storeFault } from '../layout/store-fault.ts';
import type { Blobs } from '../layout/blobs.ts';
import type { KnownLayers, StoredLayer } from '../layout/known-layers.ts';
import type { LayerWorkers } from '../normalise/layer-workers.ts';
import type { ManifestBytes } from '../registry/registry-storage.ts';
import { composeConfig } from './image-config.ts';
import { asRecord, MEDIA, readDiffIds, readManifest, type BlobReference } from './oci.ts';

/** What sealing works with. */
export interface SealParts {
  readonly blobs: Blobs;
  /** What engines pushed, before it is normalised. */
  readonly incoming: Blobs;
  readonly known: KnownLayers;
  readonly layers: LayerWorkers;
  /** Original diff id -> the layer being normalised right now. */
  readonly pending: Map<Digest, Promise<StoredLayer>>;
}

/** Upper bound for an unpacked layer, bytes. */
const MAX_LAYER = 64 * 2 ** 30;

/**
 * Makes a stored image of a pushed one: every layer in canonical form (those of the base and those met before are not
 * touched again), empty layers left out, a canonical configuration and manifest. Raises `push-invalid`, `base-mismatch`,
 * `layer-invalid`, `store-corrupt`, `store-full`, `cancelled`.
 */
export async function sealImage(parts: SealParts, identity: ImageIdentity, pushed: ManifestBytes, signal?: AbortSignal): Promise<StoredImage> {
  const base = identity.base === undefined ? undefined : readBase(parts.blobs, identity.base);
  const image = understand(identity, () => {
    const manifest = readManifest(JSON.parse(Buffer.from(pushed.bytes).toString()));
    const config = asRecord(readConfig(parts, manifest.config), 'the configuration');
    const diffIds = readDiffIds(config);
    if (diffIds.length !== manifest.layers.length) throw new TypeError(`it has ${manifest.layers.length} layers but ${diffIds.length} diff ids`);
    const platform = `${String(config['os'])}/${String(config['architecture'])}`;
    if (platform !== identity.platform) throw new TypeError(`it is for ${platform}, not ${identity.platform}`);
    return { config, layers: manifest.layers.map((layer, index) => ({ layer, diffId: diffIds[index] as Digest })) };
  });
  const stored = await Promise.all(image.layers.map(({ layer, diffId }) => storeLayer(parts, diffId, layer, signal)));
  const layers = stored.filter((layer) => !layer.empty);
  refuseOtherBase(identity, base?.diffIds ?? [], layers);
  const config = canonicalJson(understand(identity, () => composeConfig(image.config, base?.config, identity, layers)));
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

function readBase(blobs: Blobs, digest: Digest): { readonly config: unknown; readonly diffIds: readonly Digest[] } {
  const { json } = blobs.document(readManifest(blobs.document(digest).json).config);
  return { config: json, diffIds: readDiffIds(json) };
}

function readConfig(parts: SealParts, digest: Digest): unknown {
  return (parts.incoming.size(digest) === undefined ? parts.blobs : parts.incoming).document(digest).json;
}

async function storeLayer(parts: SealParts, diffId: Digest, layer: BlobReference, signal: AbortSignal | undefined): Promise<StoredLayer> {
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

async function normalise(parts: SealParts, diffId: Digest, layer: BlobReference, signal: AbortSignal | undefined): Promise<StoredLayer> {
  const holder = parts.incoming.size(layer.digest) === undefined ? parts.blobs : parts.incoming;
  if (holder.size(layer.digest) === undefined) {
    throw new CcpError({
      code: 'push-invalid',
      message: `the pushed image names layer ${layer.digest}, which the store does not hold any more`,
      hint: 'push the image again',
    });
  }
  const output = parts.blobs.scratch();
  try {
    const {
      original,
      diffId: canonical,
      unpacked,
      digest,
      size,
      empty,
    } = await parts.layers.normalise({ input: holder.path(layer.digest), output, limit: MAX_LAYER }, signal);
    if (original !== diffId) {
      throw new CcpError({ code: 'push-invalid', message: `layer ${layer.digest} unpacks to ${original}, but the pushed image says ${diffId}` });
    }
    if (!empty) parts.blobs.adopt(output, digest);
    parts.known.remember({ original, diffId: canonical, unpacked, digest, size, empty, pushed: layer.digest, pushedSize: layer.size });
    if (holder === parts.incoming) holder.remove(layer.digest);
    return { diffId: canonical, unpacked, digest, size, empty };
  } catch (thrown) {
    throw storeFault(thrown, output);
  } finally {
    rmSync(output, { force: true });
  }
}

function refuseOtherBase(identity: ImageIdentity, base: readonly Digest[], layers: readonly StoredLayer[]): void {
  if (base.every((diffId, index) => layers[index]?.diffId === diffId)) return;
  throw new CcpError({
    code: 'base-mismatch',
    message: `the pushed image of ${identity.image} does not stand on its base ${identity.base}`,
    hint: 'its template must start its last stage FROM the base parent',
  });
}

function understand<T>(identity: ImageIdentity, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof TypeError) && !(cause instanceof SyntaxError)) throw cause;
    throw new CcpError({ code: 'push-invalid', message: `the pushed image of ${identity.image} cannot be understood: ${cause.message}`, cause });
  }
}
