/** A git source by its identity; `url` only says where to look. */
export interface GitSource {
  readonly url: string;
  /** Full 40-hex object name. */
  readonly commit: string;
  /** Paths of submodules to take along; none unless listed. */
  readonly submodules: readonly string[];
}

/** What a ref stands for now. */
export interface ResolvedRef {
  readonly commit: string;
  /** Version as pbr would name it: the tag, or the next version with `.devN`. */
  readonly version: string;
}

/**
 * Fetches git sources into bare mirrors. Protocols https, http on loopback, ssh and file only; URL and ref are checked before
 * a process starts. Raises `source-invalid`, `source-unreachable` (transient), `source-ref-unknown` for a tag or branch that is not there, `source-commit-missing`, and `tool-missing` where the
 * machine lacks git.
 */
export interface SourceFetcher {
  /** True where the host of `url` answers within the limit. */
  reachable(url: string, timeoutMs: number): Promise<boolean>;
  resolve(url: string, ref: string, signal?: AbortSignal): Promise<ResolvedRef>;
  /** Makes sure that the commit is in the mirror. */
  fetch(source: GitSource, signal?: AbortSignal): Promise<void>;
  /** The tree of the commit as an uncompressed tar (git archive); raises `source-commit-missing` before `fetch`. */
  archive(source: GitSource): AsyncIterable<Uint8Array>;
}
