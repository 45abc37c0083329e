/** Roots of Debian's archives, tried in order; without a trailing slash. */
export interface DebianMirrors {
  readonly debian: readonly string[];
  readonly 'debian-security': readonly string[];
}

/** A simple index of Python packages (PEP 503, PEP 691). */
export interface PythonIndex {
  /** URL of the index, with a trailing slash. */
  readonly url: string;
  /** What it was taken from, for messages. */
  readonly from: string;
}

/** What the settings file may say in place of what the host is set to; every member is a list tried in order. */
export interface MirrorSettings {
  readonly debian?: readonly string[];
  readonly debianSecurity?: readonly string[];
  readonly python?: readonly string[];
  readonly go?: readonly string[];
  readonly npm?: readonly string[];
  /** Prefix of a repository's URL -> prefix that is asked in its place. */
  readonly git?: Readonly<Record<string, string>>;
}

/** Where locked files are asked for; each kind is looked up when the first file of it is wanted. */
export interface Mirrors {
  debian(): DebianMirrors;
  python(): readonly PythonIndex[];
  /** Roots of Go module proxies, without a trailing slash. */
  go(): readonly string[];
  /** URLs of registries of npm, without a trailing slash. */
  npm(): readonly string[];
}
