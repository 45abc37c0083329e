import type { ImageStore } from '#ports';

export interface StoreOptions {
  /** Absolute path of the OCI layout; made where it does not exist. */
  readonly folder: string;
  /** Port of the loopback registry; by default the one of the last run, else a free one. */
  readonly port?: number;
  /** Layers normalised at once; by default one per core. */
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

/** A layout that is read and served for pulls alone; its `address` is `HOST:PORT` as given. */
export type ServedStore = Pick<ImageStore, 'address' | 'reference' | 'inspect' | 'verify' | 'close'>;

export interface RegistryOptions {
  /** `HOST` or `HOST:PORT`. Loopback is spoken to by plain HTTP, all else by HTTPS. */
  readonly host: string;
  /** Credentials by host; anonymous where it answers undefined. */
  readonly credentials?: (host: string) => Credentials | undefined;
  /** Milliseconds to wait between attempts are waited by this; a timer by default. */
  readonly sleep?: (ms: number) => Promise<void>;
  /** Bytes per chunk of an upload; 16 MiB by default. */
  readonly chunkSize?: number;
}

/** A password, or a token from `docker login` that is traded for others. */
export type Credentials = { readonly user: string; readonly password: string } | { readonly identityToken: string };
