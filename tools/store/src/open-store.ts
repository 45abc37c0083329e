import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, tagPart, type CcpError } from '#core';
import { makeFolder } from '#host';
import type { ImageStore, StoredImage } from '#ports';
import { flushPath } from './layout/atomic-file.ts';
import { adoptBlobs } from './layout/adopt-blobs.ts';
import { openBlobs } from './layout/blobs.ts';
import { collectGarbage } from './layout/collect-garbage.ts';
import { openKnownLayers } from './layout/known-layers.ts';
import { openLayerListings } from './layout/layer-listings.ts';
import { layoutStorage, storeStorage } from './layout/layout-storage.ts';
import { lockStore } from './layout/lock-file.ts';
import { openNamedImages } from './layout/store-index.ts';
import { recordPort, lastPort } from './layout/store-ports.ts';
import { inspectImage, isWhole, verifyImage } from './layout/stored-documents.ts';
import { LOOPBACK } from './loopback.ts';
import { layerWorkers } from './normalise/layer-workers.ts';
import type { StoreOptions } from './options.ts';
import { newLogin } from './registry/registry-access.ts';
import { serveRegistry, type RegistryServer } from './registry/serve-registry.ts';
import { openSealing } from './seal/open-sealing.ts';
import { MAX_LAYER } from './seal/seal-image.ts';
import { storeFault } from './store-fault.ts';

/** See `openStore` in index.ts. */
export async function openStore(options: StoreOptions): Promise<ImageStore> {
  const { folder } = options;
  let release: (() => void) | undefined;
  try {
    makeFolder(folder);
    release = lockStore(join(folder, 'lock'));
    return await openLocked(options, release);
  } catch (thrown) {
    release?.();
    throw storeFault(thrown, folder);
  }
}

async function openLocked(
  { folder, port, workers }: StoreOptions,
  release: () => void,
): Promise<ImageStore> {
  const incomingFolder = join(folder, 'incoming');
  rmSync(incomingFolder, { recursive: true, force: true });
  const scratch = join(incomingFolder, 'scratch');
  const blobFolder = join(folder, 'blobs', 'sha256');
  for (const made of [blobFolder, scratch]) makeFolder(made);
  const blobs = openBlobs(blobFolder, scratch);
  const incoming = openBlobs(join(incomingFolder, 'blobs'), scratch);
  const known = openKnownLayers(folder, scratch);
  const listings = openLayerListings(join(folder, 'listings'), blobs, MAX_LAYER);
  const named = await openNamedImages(folder, blobs, scratch);
  const layout = join(folder, 'oci-layout');
  if (!existsSync(layout)) writeFileSync(layout, '{"imageLayoutVersion":"1.0.0"}');
  const storage = storeStorage(layoutStorage(blobs, named.entries), incoming, known);
  const login = newLogin();
  const refusals = new Map<string, CcpError>();
  const server = await listen(folder, port, (at) =>
    serveRegistry(storage, {
      host: LOOPBACK,
      port: at,
      login,
      onFull: (repository, fault) => refusals.set(repository, fault),
    }),
  );
  const address = `${LOOPBACK}:${server.port}`;
  const layers = layerWorkers(workers);
  const whole = (image: StoredImage | undefined): StoredImage | undefined =>
    image !== undefined && isWhole(blobs, image.digest) ? image : undefined;
  const sealing = openSealing(
    { blobs, incoming, known, listings, layers, pending: new Map() },
    storage,
  );

  return {
    address,
    login,
    incoming: ({ image, fingerprint }) => `${address}/incoming/${image}:${tagPart(fingerprint)}`,
    refusal: ({ image }) => refusals.get(`incoming/${image}`),
    reference: (image, digest) => `${address}/${image}@${digest}`,
    seal: sealing.seal,
    async publish(image) {
      await named.add(image);
      sealing.named(image);
    },
    async alias(identity, image) {
      const alias = {
        ...image,
        fingerprint: identity.fingerprint,
        contentKey: identity.contentKey,
      };
      await named.add(alias);
      return alias;
    },
    async adopt(image, manifest, read) {
      await adoptBlobs(blobs, image.digest, manifest, read);
      await named.add(image);
    },
    byFingerprint: (fingerprint) => whole(named.byFingerprint(fingerprint)),
    byContentKey: (contentKey) => whole(named.byContentKey(contentKey)),
    list: named.list,
    inspect: async (digest) => inspectImage(blobs, digest),
    listLayer: listings.read,
    verify: (digest) => verifyImage(blobs, digest),
    async collect(keep) {
      await sealing.settled();
      const unnamed = sealing.unnamed();
      return collectGarbage({ blobFolder, blobs, named, known, listings, unnamed }, keep);
    },
    async close() {
      await server.close();
      await sealing.settled();
      await Promise.allSettled([blobs.flush(), flushPath(folder)]);
      await layers.close();
      rmSync(incomingFolder, { recursive: true, force: true });
      release();
    },
  };
}

/**
 * Listens on the given port, else on the last run's port, so that image names in engines stay
 * valid, else on a free port.
 */
async function listen(
  folder: string,
  port: number | undefined,
  serve: (port: number) => Promise<RegistryServer>,
): Promise<RegistryServer> {
  if (port !== undefined) return serve(port);
  const server = await serve(lastPort(folder) ?? 0).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'port-taken') return serve(0);
    throw thrown;
  });
  recordPort(folder, server.port);
  return server;
}
