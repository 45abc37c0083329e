/** A git source, identified by its commit; `url` is only its location. */
export interface GitSource {
  readonly url: string;
  /** Full 40-hex object name. */
  readonly commit: string;
  /** Paths of submodules to include. */
  readonly submodules: readonly string[];
}

/** The current commit of a ref. */
export interface ResolvedRef {
  readonly commit: string;
  /** Version in pbr's form: the tag, or the next version with `.devN`. */
  readonly version: string;
}

/** The progress of a fetch: git's stage, like `receiving`, and its percentage. */
export interface SourceProgress {
  readonly stage: string;
  readonly percent: number;
}

/**
 * Fetches git sources into bare mirrors. Allows the protocols https, ssh, file, and http on
 * loopback. URL and ref are checked before a process starts. Throws `source-invalid`,
 * `source-unreachable` (transient), `source-ref-unknown` for a missing tag or branch,
 * `source-commit-missing`, and `tool-missing` if git is not installed.
 */
export interface SourceFetcher {
  /** Whether the host of `url` responds within the timeout, and before the signal aborts. */
  reachable(url: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean>;
  resolve(url: string, ref: string, signal?: AbortSignal): Promise<ResolvedRef>;
  /** Fetches the commit unless the mirror has it. */
  fetch(
    source: GitSource,
    signal?: AbortSignal,
    onProgress?: (progress: SourceProgress) => void,
  ): Promise<void>;
  /**
   * The tree of the commit as an uncompressed tar (git archive). Throws `source-commit-missing`
   * before `fetch`.
   */
  archive(source: GitSource): AsyncIterable<Uint8Array>;
}
