/** How a server is reached and who asks; made from a kubeconfig's context or a pod's service account. */
export interface Connection {
  /** For messages: the context, or `in-cluster`. */
  readonly name: string;
  /** `https://host:port` and perhaps a path, without a slash at its end. */
  readonly server: string;
  /** Namespace that the context names. */
  readonly namespace?: string;
  readonly tls: TlsSettings;
  /** URL of an HTTP proxy; without, HTTPS_PROXY and NO_PROXY of the environment count, but never for a server on this machine. */
  readonly proxyUrl?: string;
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[] };
  readonly credentials: CredentialSource;
}

/** Certificates and keys in PEM. */
export interface TlsSettings {
  readonly ca?: string;
  /** Name that the server's certificate must have, where it is not the host of the address. */
  readonly serverName?: string;
}

/** What proves who asks, at one moment. */
export interface Credentials {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** Where credentials come from; `refresh` asks anew, after the server refused what it gave before. */
export interface CredentialSource {
  get(options?: { readonly refresh?: boolean }): Promise<Credentials>;
}

/** Whether a host, as a URL spells it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
