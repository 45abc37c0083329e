import type { Mirrors } from '../mirrors/mirrors.ts';
import type { RetryPolicy } from './retry.ts';

/** What a running fetch tells. Bytes are of that file alone. */
export type FetchEvent =
  | { readonly type: 'fetch-started'; readonly files: number; readonly size: number }
  | { readonly type: 'fetch-progress'; readonly name: string; readonly received: number; readonly size: number }
  | { readonly type: 'fetch-retry'; readonly name: string; readonly reason: string; readonly delayMs: number }
  | { readonly type: 'fetch-corrupt'; readonly name: string; readonly offline: boolean }
  | { readonly type: 'fetch-file'; readonly name: string; readonly size: number };

export interface FetchOptions {
  readonly mirrors: Mirrors;
  /** Downloads at once. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  readonly events?: (event: FetchEvent) => void;
  /** Never touch the network: raise `offline-missing` naming every file that is not there. */
  readonly offline?: boolean;
  /** The environment that proxies and certificates are taken from. */
  readonly env?: NodeJS.ProcessEnv;
  readonly retry?: RetryPolicy;
  /** A mirror that sends nothing, or almost nothing, for this long is silent; half a minute where absent. */
  readonly silenceMs?: number;
}

/** What fetching a set of files came to. */
export interface FetchReport {
  /** Files that were there already, and files that came. */
  readonly reused: number;
  readonly fetched: number;
  /** Bytes that came over the network. */
  readonly received: number;
}
