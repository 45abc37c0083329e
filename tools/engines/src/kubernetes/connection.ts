/** Address and credentials of a server, from a kubeconfig's context or a pod's service account. */
export interface Connection {
  /** Name in messages: the context, or `in-cluster`. */
  readonly name: string;
  /** `https://host:port` with an optional path, without a trailing slash. */
  readonly server: string;
  /** Namespace of the context. */
  readonly namespace?: string;
  readonly tls: TlsSettings;
  /** URL of an HTTP proxy. Default: HTTPS_PROXY and NO_PROXY, except for loopback addresses. */
  readonly proxyUrl?: string;
  readonly impersonate?: { readonly user: string; readonly groups: readonly string[] };
  readonly credentials: CredentialSource;
}

/** Certificates and keys in PEM. */
export interface TlsSettings {
  readonly ca?: string;
  /** Name in the server's certificate, if it differs from the host of the address. */
  readonly serverName?: string;
}

/** Credentials at one moment. */
export interface ApiCredentials {
  readonly token?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * Source of credentials. `refresh` requests new ones after the server rejected the previous ones.
 */
export interface CredentialSource {
  get(options?: { readonly refresh?: boolean }): Promise<ApiCredentials>;
}

/** Whether the host of a URL is a loopback address. */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
