import type { Platform } from '#core';

/** What an engine says of itself. */
export interface EngineInfo {
  /** Stable id of the daemon, to tell two endpoints of one engine apart. */
  readonly id: string;
  readonly version: string;
  readonly platform: Platform;
  readonly cpus: number;
  /** Bytes. */
  readonly memory: number;
}

/** One build. The engine sees nothing of the host but the context's tar. */
export interface EngineBuildRequest {
  /** Opens the context's tar anew; called again where a build is retried. */
  readonly context: () => AsyncIterable<Uint8Array>;
  /** Path of the Dockerfile inside the context. */
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly platform: Platform;
  /** `none` is the rule; `host` only for a definition that says `unlocked: true`. */
  readonly network: 'none' | 'host';
  /** `HOST:PORT/NAME:TAG` that the result gets. */
  readonly reference: string;
  readonly noCache: boolean;
}

/** What a running build tells, in order. */
export type EngineBuildEvent =
  | {
      readonly type: 'step';
      readonly id: string;
      readonly name: string;
      readonly state: 'started' | 'cached' | 'done' | 'failed';
      /** Milliseconds the step took, by the engine's clock; with `done` and `failed`, where the engine tells. */
      readonly took?: number;
    }
  | { readonly type: 'output'; readonly id: string; readonly text: string };

export type EngineEvents = (event: EngineBuildEvent) => void;

/**
 * An engine that builds images from a tar. Errors are `CcpError` with the codes `engine-unreachable` (transient),
 * `engine-failed` (transient: the engine answered 5xx or cut the stream), `build-failed` (a step failed; the message names
 * the step, in quotes and with single blanks, by 150 characters at least, its exit code and its last lines), `build-invalid`
 * (the Dockerfile was refused), `engine-disk-full`, `cancelled` (the signal was aborted).
 */
export interface ImageEngine {
  /** The endpoint as a person wrote it, for messages. */
  readonly name: string;
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /** Builds and names the result; resolves with the engine's image id. Cancelled within 2 s of the signal. */
  build(request: EngineBuildRequest, events: EngineEvents, signal: AbortSignal): Promise<{ readonly imageId: string }>;
  /** Pushes a reference to its registry (plain HTTP on loopback); raises `push-refused` (trying again cannot help) and `push-failed` beside the codes above. */
  push(reference: string, signal: AbortSignal): Promise<void>;
  /** Pulls a reference by digest from its registry; raises `pull-refused` (trying again cannot help) and `pull-failed` beside the codes above. */
  pull(reference: string, signal: AbortSignal): Promise<void>;
  /** Forgets a reference; no error where it is not there. */
  untag(reference: string): Promise<void>;
  /** Forgets every reference that begins with one of `prefixes`. */
  untagAll(prefixes: readonly string[]): Promise<void>;
  /** Drops build cache and images nothing names; resolves with the bytes freed. */
  prune(): Promise<number>;
}
