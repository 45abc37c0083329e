import type { ImageStore, Registry } from '#ports';
import type { RegistryOptions, ServedStore, ServeOptions, StoreOptions } from './options.ts';

export { readStoreIndex, refName } from './layout/index-file.ts';
export type { StoreIndex } from './layout/index-file.ts';
export { wholeImages, type Look } from './layout/whole-images.ts';
export { forgetAddresses, noteAddress } from './layout/store-ports.ts';
export type { Credentials, RegistryOptions, ServedStore, ServeOptions, StoreOptions } from './options.ts';

/**
 * Opens the store for a run that writes: locks it, serves its registry on loopback. Raises `store-busy` naming the process
 * that holds it, `store-full`, `store-corrupt`. Close it in the end; a killed holder's lock is taken over.
 */
export async function openStore(options: StoreOptions): Promise<ImageStore> {
  const module = await import('./open-store.ts');
  return module.openStore(options);
}

/**
 * Addresses (`127.0.0.1:PORT`) that the store in `folder` has had and that nobody serves now: what engines remember of images below them
 * can never be pulled again.
 */
export async function deadAddresses(folder: string): Promise<readonly string[]> {
  const module = await import('./layout/dead-addresses.ts');
  return module.deadAddresses(folder);
}

/** Reads a layout and serves it for pulls, beside a run that writes or without one; nothing is locked or written. */
export async function serveStore(options: ServeOptions): Promise<ServedStore> {
  const module = await import('./serve-store.ts');
  return module.serveStore(options);
}

/** A client of the registry at `host`. No request is sent before the first call. */
export async function connectRegistry(options: RegistryOptions): Promise<Registry> {
  const module = await import('./client/connect-registry.ts');
  return module.connectRegistry(options);
}

/** Credentials from the configuration files that `docker login` and `podman login` write, read when first asked. */
export async function loginCredentials(environment: Readonly<Record<string, string | undefined>>): Promise<NonNullable<RegistryOptions['credentials']>> {
  const module = await import('./client/login-credentials.ts');
  return module.loginCredentials(environment);
}
