/** Limits that one registry sets its clients. */
export interface RegistryLimits {
  /** Bytes in one blob. */
  readonly blobBytes: number;
  /** Total bytes of the blobs pushed while the registry is open. */
  readonly totalBytes: number;
  /** Total bytes of the manifests pushed while the registry is open; they are kept in memory. */
  readonly manifestBytes: number;
  /** Uploads in progress. */
  readonly uploads: number;
  /** Open connections; a further one replaces the oldest that has no request in progress. */
  readonly connections: number;
  /** Timeout for the headers of a request, in milliseconds. */
  readonly headersMs: number;
  /** Timeout for a whole request with its body, in milliseconds. */
  readonly requestMs: number;
  /** Idle timeout of connections and of uploads, in milliseconds. */
  readonly idleMs: number;
  /** Interval between checks for timed-out connections, in milliseconds. */
  readonly checkMs: number;
}

/** High enough for the largest images on a slow disk. */
export const REGISTRY_LIMITS: RegistryLimits = {
  blobBytes: 64 * 2 ** 30,
  totalBytes: 2 ** 40,
  manifestBytes: 2 ** 28,
  uploads: 128,
  connections: 512,
  headersMs: 10_000,
  requestMs: 3_600_000,
  idleMs: 300_000,
  checkMs: 2000,
};
