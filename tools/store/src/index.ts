import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest } from '#core';
import { tryLock } from '#host';
import type { ImageContent, ImageStore, Memo, Registry } from '#ports';
import type { OciArchive } from './archive/open-archive.ts';
import type { ImageDifference, StoredImage } from './compare/compare-images.ts';
import type { InstalledPackages } from './installed/types.ts';
import type { RegistryOptions, ServedStore, ServeOptions, StoreOptions } from './options.ts';

export { readStoreIndex } from './layout/index-file.ts';
export type { StoreIndex } from './layout/index-file.ts';
export { imageChecker, type CheckDepth } from './layout/image-checker.ts';
export type { ImageDifference, StoredImage } from './compare/compare-images.ts';
export { forgetAddresses, lastPort, recordAddress } from './layout/store-ports.ts';
export type {
  RegistryCredentials,
  RegistryOptions,
  ServedStore,
  ServeOptions,
  StoreOptions,
} from './options.ts';

/**
 * Opens the store for a run that writes: locks it and serves its registry on loopback. The caller
 * must close it. The lock of a killed process is taken over. Throws `store-busy` with the id of the
 * process that has the lock, `store-full`, `store-corrupt`.
 */
export async function openStore(options: StoreOptions): Promise<ImageStore> {
  const module = await import('./open-store.ts');
  return module.openStore(options);
}

/**
 * True if the last run that opened the store in `folder` was killed. Such a run leaves uploads
 * (removed when the store is opened again) and image names in engines.
 */
export function wasKilled(folder: string): boolean {
  if (!existsSync(join(folder, 'incoming'))) return false;
  const attempt = tryLock(join(folder, 'lock'));
  if (attempt.held) attempt.release();
  return attempt.held;
}

/**
 * Earlier addresses (`127.0.0.1:PORT`) of the store in `folder` on which nothing listens now.
 * Engines can no longer pull images whose names start with them.
 */
export async function unservedAddresses(folder: string): Promise<readonly string[]> {
  const module = await import('./layout/unserved-addresses.ts');
  return module.unservedAddresses(folder);
}

/**
 * Serves a layout read-only, without locking it; a run can write to the layout at the same time.
 */
export async function serveStore(options: ServeOptions): Promise<ServedStore> {
  const module = await import('./serve-store.ts');
  return module.serveStore(options);
}

/** Reads the blobs of a layout, without locking it. */
export async function openContent(folder: string): Promise<ImageContent> {
  const module = await import('./layout/stored-content.ts');
  return module.storedContent(folder);
}

/**
 * The packages in the layers of a stored image: Debian's by the status file of dpkg, Python's by
 * their metadata. Facts about layers are cached in `memo`.
 */
export async function installedPackages(
  folder: string,
  image: Digest,
  memo: Memo,
): Promise<InstalledPackages> {
  const module = await import('./installed/installed-packages.ts');
  return module.installedPackages(folder, image, memo);
}

/** Compares two images member by member. See `compareImages` in compare/compare-images.ts. */
export async function compareImages(
  first: StoredImage,
  second: StoredImage,
): Promise<ImageDifference> {
  const module = await import('./compare/compare-images.ts');
  return module.compareImages(first, second);
}

/** Reads a file of an image. See `readImageFile` in read-image-file.ts. */
export async function readImageFile(image: StoredImage, path: string): Promise<Buffer | undefined> {
  const module = await import('./read-image-file.ts');
  return module.readImageFile(image, path);
}

/** Opens an OCI archive as a read-only registry. See `openArchive` in archive/open-archive.ts. */
export async function openArchive(file: string, prefix: string): Promise<OciArchive> {
  const module = await import('./archive/open-archive.ts');
  return module.openArchive(file, prefix);
}

/** A client for the registry at `host`. It sends no request before the first call. */
export async function connectRegistry(options: RegistryOptions): Promise<Registry> {
  const module = await import('./client/connect-registry.ts');
  return module.connectRegistry(options);
}

/** Credentials from the files that `docker login` and `podman login` write and from the credential
 * helpers that they name, read on first use. */
export async function loginCredentials(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<NonNullable<RegistryOptions['credentials']>> {
  const module = await import('./client/login-credentials.ts');
  return module.loginCredentials(environment);
}
