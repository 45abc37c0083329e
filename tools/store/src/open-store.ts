import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, digestFromHex, tagPart, type Digest, type Sha256 } from '#core';
import { makeFolder } from '#host';
import type { ImageStore, StoredImage } from '#ports';
import { flushPath } from './layout/atomic-file.ts';
import { openBlobs } from './layout/blobs.ts';
import { openKnownLayers } from './layout/known-layers.ts';
import { layoutStorage, storeStorage } from './layout/layout-storage.ts';
import { holdLock } from './layout/lock-file.ts';
import { storeFault } from './layout/store-fault.ts';
import { inspectImage, reachable, verifyImage } from './layout/stored-documents.ts';
import { openNamedImages } from './layout/store-index.ts';
import { layerWorkers } from './normalise/layer-workers.ts';
import type { StoreOptions } from './options.ts';
import { serveRegistry, type RegistryServer } from './registry/serve-registry.ts';
import { sealImage, type SealParts } from './seal/seal-image.ts';

const HOST = '127.0.0.1';

/** See `openStore` in index.ts. */
export async function openStore(options: StoreOptions): Promise<ImageStore> {
  const { folder } = options;
  let release: (() => void) | undefined;
  try {
    makeFolder(folder);
    release = holdLock(join(folder, 'lock'));
    return await openLocked(options, release);
  } catch (thrown) {
    release?.();
    throw storeFault(thrown, folder);
  }
}

async function openLocked({ folder, port, workers }: StoreOptions, release: () => void): Promise<ImageStore> {
  const incomingFolder = join(folder, 'incoming');
  rmSync(incomingFolder, { recursive: true, force: true });
  const scratch = join(incomingFolder, 'scratch');
  const blobFolder = join(folder, 'blobs', 'sha256');
  for (const made of [blobFolder, scratch]) makeFolder(made);
  const blobs = openBlobs(blobFolder, scratch);
  const incoming = openBlobs(join(incomingFolder, 'blobs'), scratch);
  const known = openKnownLayers(folder, scratch);
  const named = await openNamedImages(folder, blobs, scratch);
  const layout = join(folder, 'oci-layout');
  if (!existsSync(layout)) writeFileSync(layout, '{"imageLayoutVersion":"1.0.0"}');
  const storage = storeStorage(layoutStorage(blobs, named.entries), incoming, known);
  const refusals = new Map<string, CcpError>();
  const server = await listen(folder, port, (at) => serveRegistry(storage, HOST, at, (repository, fault) => refusals.set(repository, fault)));
  const address = `${HOST}:${server.port}`;
  const parts: SealParts = { blobs, incoming, known, layers: layerWorkers(workers), pending: new Map() };
  const sealing = new Set<Promise<StoredImage>>();
  const sealed = new Set<Digest>();

  return {
    address,
    incoming: ({ image, fingerprint }) => `${address}/incoming/${image}:${tagPart(fingerprint)}`,
    refusal: ({ image }) => refusals.get(`incoming/${image}`),
    reference: (image, digest) => `${address}/${image}@${digest}`,
    async seal(identity, signal) {
      const pushed = storage.manifest(`incoming/${identity.image}`, tagPart(identity.fingerprint));
      if (pushed === undefined) throw notPushed(identity.image);
      const task = sealImage(parts, identity, pushed, signal);
      sealing.add(task);
      try {
        const image = await task;
        sealed.add(image.digest);
        // Begun now, so that it is over when the tests are; `publish` waits for it and tells its faults.
        blobs.flush().catch(() => undefined);
        return image;
      } finally {
        sealing.delete(task);
      }
    },
    publish: (image) => named.add(image),
    async alias(identity, image) {
      const alias = { ...image, fingerprint: identity.fingerprint, contentKey: identity.contentKey };
      await named.add(alias);
      return alias;
    },
    byFingerprint: named.byFingerprint,
    byContentKey: named.byContentKey,
    list: named.list,
    inspect: async (digest) => inspectImage(blobs, digest),
    verify: (digest) => verifyImage(blobs, digest),
    async collect(keep) {
      await Promise.allSettled(sealing);
      const sweep = (): number => {
        const used = reachable(blobs, [...named.entries().map((entry) => entry.digest), ...sealed]);
        let freed = 0;
        for (const name of readdirSync(blobFolder)) {
          const digest = digestFromHex(name as Sha256);
          if (used.has(digest)) continue;
          freed += blobs.size(digest) ?? 0;
          blobs.remove(digest);
        }
        return freed;
      };
      // What no name needs goes first: on a full disk there is no room yet to write the names anew.
      const unnamed = sweep();
      await named.retain(keep);
      const freed = unnamed + sweep();
      known.retain((digest) => blobs.size(digest) !== undefined);
      return freed;
    },
    async close() {
      await server.close();
      await Promise.allSettled(sealing);
      await Promise.allSettled([blobs.flush(), flushPath(folder)]);
      await parts.layers.close();
      rmSync(incomingFolder, { recursive: true, force: true });
      release();
    },
  };
}

/** Listens on the port given, else on that of the last run, so that what engines remember of it stays true; else on a free one. */
async function listen(folder: string, port: number | undefined, serve: (port: number) => Promise<RegistryServer>): Promise<RegistryServer> {
  if (port !== undefined) return serve(port);
  const file = join(folder, 'port');
  const last = lastPort(file);
  const server = await serve(last).catch((thrown: unknown) => {
    if (codeOf(thrown) === 'port-taken') return serve(0);
    throw thrown;
  });
  try {
    if (server.port !== last) writeFileSync(file, `${server.port}\n`);
  } catch {
    // On a full disk the next run takes another port, no worse.
    return server;
  }
  return server;
}

function lastPort(file: string): number {
  try {
    const port = Number(readFileSync(file, 'utf8'));
    return Number.isInteger(port) && port > 1023 && port < 65_536 ? port : 0;
  } catch {
    return 0;
  }
}

function notPushed(image: string): CcpError {
  return new CcpError({ code: 'push-missing', message: `nothing was pushed for ${image}`, hint: 'push the built image before it is sealed' });
}
