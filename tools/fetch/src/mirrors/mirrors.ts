/** Roots of Debian's archives, tried in order; without a trailing slash. */
export interface DebianMirrors {
  readonly debian: readonly string[];
  readonly 'debian-security': readonly string[];
}

/** A simple index of Python packages (PEP 503, PEP 691). */
export interface PythonIndex {
  /** URL of the index, with a trailing slash. */
  readonly url: string;
  /** The setting or file that names it, for messages. */
  readonly from: string;
}

/** Settings that replace the host's configuration; every list is tried in order. */
export interface MirrorSettings {
  readonly debian?: readonly string[];
  readonly debianSecurity?: readonly string[];
  /** Absolute path of the keyring that signs these archives, instead of Debian's. */
  readonly debianKeyring?: string;
  readonly python?: readonly string[];
  readonly go?: readonly string[];
  readonly npm?: readonly string[];
  /** Prefix of a repository's URL -> replacement. */
  readonly git?: Readonly<Record<string, string>>;
}

/** Servers of locked files; each kind is looked up when it is first needed. */
export interface Mirrors {
  debian(): DebianMirrors;
  python(): readonly PythonIndex[];
  /** Roots of Go module proxies, without a trailing slash. */
  go(): readonly string[];
  /** URLs of npm registries, without a trailing slash. */
  npm(): readonly string[];
}
