import type { ImageStore } from '#ports';

export interface StoreOptions {
  /** Absolute path of the OCI layout; created if it does not exist. */
  readonly folder: string;
  /** Port of the loopback registry; by default the last run's port, else a free one. */
  readonly port?: number;
  /** Number of layers normalised in parallel; by default one per core. */
  readonly workers?: number;
}

export interface ServeOptions {
  /** Absolute path of the OCI layout. */
  readonly folder: string;
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string;
  /** A free port by default. */
  readonly port?: number;
}

/** A layout that is served read-only; its `address` is `HOST:PORT`. */
export type ServedStore = Pick<
  ImageStore,
  'address' | 'reference' | 'inspect' | 'verify' | 'close'
>;

export interface RegistryOptions {
  /**
   * `HOST` or `HOST:PORT`. Loopback hosts use plain HTTP, all others HTTPS, unless `plainHttp` is
   * set.
   */
  readonly host: string;
  /** True for a registry that was named with `http://`, false for `https://`. */
  readonly plainHttp?: boolean;
  /** Credentials by host; undefined for anonymous access. */
  readonly credentials?: (host: string) => RegistryCredentials | undefined;
  /** Waits between attempts; a timer by default. */
  readonly sleep?: (ms: number) => Promise<void>;
  /**
   * Limit for the headers of a response to a read, and for each 64 KiB of a body, in milliseconds;
   * a minute by default.
   */
  readonly slowMs?: number;
  /** Bytes per chunk of an upload; 16 MiB by default. */
  readonly chunkSize?: number;
}

/** A password, or an identity token from `docker login` that is exchanged for access tokens. */
export type RegistryCredentials =
  { readonly user: string; readonly password: string } | { readonly identityToken: string };
