import { CcpError, tagPart, type Digest, type Fingerprint } from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '#ports';
import type { RegistryStorage } from '../registry/registry-storage.ts';
import { sealImage, type SealParts } from './seal-image.ts';

/** The sealing of what engines push to one store. */
export interface Sealing {
  readonly seal: ImageStore['seal'];
  /** Manifests that were sealed and are not named yet. */
  unnamed(): ReadonlySet<Digest>;
  /** Takes note that a sealed image has its name. */
  named(image: StoredImage): void;
  /** Resolves when nothing is being sealed; raises nothing. */
  settled(): Promise<void>;
}

/** `seal` as the port says, of what `storage` took under `incoming/`. */
export function openSealing(parts: SealParts, storage: RegistryStorage): Sealing {
  const tasks = new Set<Promise<StoredImage>>();
  const unnamed = new Map<Fingerprint, Digest>();
  const seal = async (identity: ImageIdentity, signal?: AbortSignal): Promise<StoredImage> => {
    const pushed = storage.manifest(`incoming/${identity.image}`, tagPart(identity.fingerprint));
    if (pushed === undefined) throw notPushed(identity);
    const task = sealImage(parts, identity, pushed, signal);
    tasks.add(task);
    try {
      const image = await task;
      unnamed.set(image.fingerprint, image.digest);
      // Begun now, so that it is over when the tests are; `publish` waits for it and tells its faults.
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

function notPushed({ image }: ImageIdentity): CcpError {
  return new CcpError({ code: 'push-missing', message: `nothing was pushed for ${image}`, hint: 'push the built image before it is sealed' });
}
