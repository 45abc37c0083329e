import type { RetryPolicy } from '#core';
import type { Mirrors } from '../mirrors/mirrors.ts';

/**
 * Progress of a fetch. Byte counts refer to the named file: `received` includes bytes of earlier
 * attempts, `bytes` just arrived. `fetch-ended` follows every start with files, also on failure.
 */
export type FetchEvent =
  | { readonly type: 'fetch-started'; readonly files: number; readonly size: number }
  | {
      readonly type: 'fetch-progress';
      readonly name: string;
      readonly received: number;
      readonly bytes: number;
      readonly size: number;
    }
  | {
      readonly type: 'fetch-retry';
      readonly name: string;
      readonly reason: string;
      readonly delayMs: number;
    }
  | { readonly type: 'fetch-corrupt'; readonly name: string; readonly offline: boolean }
  | { readonly type: 'fetch-file'; readonly name: string; readonly size: number }
  | { readonly type: 'fetch-ended' };

export interface FetchOptions {
  readonly mirrors: Mirrors;
  /** Number of parallel downloads. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly events?: (event: FetchEvent) => void;
  /** No network access: raise `offline-missing` with the name of every missing file. */
  readonly offline?: boolean;
  /** How cached files are checked: by their content (the default), or only by their size. */
  readonly check?: 'content' | 'size';
  /** Environment with the settings of proxies and certificates. */
  readonly env?: NodeJS.ProcessEnv;
  readonly retry?: RetryPolicy;
  /** A mirror that sends almost nothing for this long has stalled; default: 30 seconds. */
  readonly silenceMs?: number;
}

/** Result of fetching a set of files. */
export interface FetchReport {
  /** Number of files that were in the cache. */
  readonly reused: number;
  /** Number of files that were downloaded. */
  readonly fetched: number;
  /** Bytes received over the network. */
  readonly received: number;
}
