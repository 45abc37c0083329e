import { CcpError, digestOf, tagPart, type Digest, type Fingerprint } from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '#ports';
import type { ManifestBytes, RegistryStorage } from '../registry/registry-storage.ts';
import { sealImage, type SealParts } from './seal-image.ts';

/** Seals the images that engines push to one store. */
export interface Sealing {
  readonly seal: ImageStore['seal'];
  /** Digests of manifests that are sealed but not named yet. */
  unnamed(): ReadonlySet<Digest>;
  /** Records that a sealed image was named. */
  named(image: StoredImage): void;
  /** Resolves when no image is being sealed; never rejects. */
  settled(): Promise<void>;
}

/** Implements `seal` of the port, for images pushed to `incoming/` in `storage`. */
export function openSealing(parts: SealParts, storage: RegistryStorage): Sealing {
  const tasks = new Set<Promise<StoredImage>>();
  const unnamed = new Map<Fingerprint, Digest>();
  const seal: ImageStore['seal'] = async (identity, pushed, signal) => {
    const task = sealImage(parts, identity, pushedManifest(storage, identity, pushed), signal);
    tasks.add(task);
    try {
      const image = await task;
      unnamed.set(image.fingerprint, image.digest);
      // Started now, so that it runs during the image's tests; `publish` awaits it and reports
      // errors.
      parts.blobs.flush().catch(() => undefined);
      return image;
    } finally {
      tasks.delete(task);
    }
  };
  return {
    seal,
    unnamed: () => new Set(unnamed.values()),
    named: ({ fingerprint }) => void unnamed.delete(fingerprint),
    settled: async () => void (await Promise.allSettled(tasks)),
  };
}

/** The manifest that the engine pushed. Throws if the incoming name has a different one. */
function pushedManifest(
  storage: RegistryStorage,
  identity: ImageIdentity,
  pushed: Digest,
): ManifestBytes {
  const repository = `incoming/${identity.image}`;
  const tagged = storage.manifest(repository, tagPart(identity.fingerprint));
  if (tagged === undefined) throw notPushed(identity);
  const actual = digestOf(tagged.bytes);
  if (actual === pushed) return tagged;
  throw new CcpError({
    code: 'push-replaced',
    message: `the registry received ${actual} as ${repository}, but the engine pushed ${pushed}`,
    hint: 'another program pushed to the same name; stop it and build the image again',
  });
}

function notPushed({ image }: ImageIdentity): CcpError {
  return new CcpError({
    code: 'push-missing',
    message: `nothing was pushed for ${image}`,
    hint: 'push the image before sealing it',
  });
}
