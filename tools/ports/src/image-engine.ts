import type { Digest, Platform } from '#core';
import type { RegistryLogin } from './registry.ts';

/** Properties that an engine reports. */
export interface EngineInfo {
  /** Stable id of the daemon: two endpoints with the same id are the same engine. */
  readonly id: string;
  readonly version: string;
  readonly platform: Platform;
  readonly cpus: number;
  /** Bytes. */
  readonly memory: number;
}

/** One build. The engine receives only the context's tar from the host. */
export interface EngineBuildRequest {
  /** Opens a new stream of the context's tar. Called again for retries. */
  readonly context: () => AsyncIterable<Uint8Array>;
  /** Path of the Dockerfile inside the context. */
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly platform: Platform;
  /**
   * `none` by default. The others are only for a definition with `unlocked: true`: `bridge` is a
   * network of the engine with outgoing connections, `host` the network of the engine's machine
   * with all its services.
   */
  readonly network: 'none' | 'bridge' | 'host';
  /** Name of the result: `HOST:PORT/NAME:TAG`. */
  readonly reference: string;
  readonly noCache: boolean;
}

/** An event of a running build. */
export type EngineBuildEvent =
  | {
      readonly type: 'step';
      readonly id: string;
      readonly name: string;
      readonly state: 'started' | 'cached' | 'done' | 'failed';
      /**
       * Duration in milliseconds by the engine's clock; only for `done` and `failed`, if the engine
       * reports it.
       */
      readonly took?: number;
    }
  | { readonly type: 'output'; readonly id: string; readonly text: string };

export type EngineEvents = (event: EngineBuildEvent) => void;

/**
 * An engine that builds images from a tar. Throws `CcpError` with these codes: `engine-unreachable`
 * (transient), `engine-failed` (transient: status 5xx or an interrupted stream),
 * `engine-layer-lost` (the build succeeds without the build cache), `build-failed` (a
 * step failed; the message has at least the first 150 characters of the step's name in quotes and
 * with single spaces, its exit code and its last lines), `build-invalid` (the Dockerfile was
 * rejected), `engine-disk-full`, `cancelled` (the signal was aborted).
 */
export interface ImageEngine {
  /** The endpoint as configured, for messages. */
  readonly name: string;
  info(signal?: AbortSignal): Promise<EngineInfo>;
  /**
   * Builds and names an image; resolves with the engine's image id. Stops within 2 s after the
   * signal.
   */
  build(
    request: EngineBuildRequest,
    events: EngineEvents,
    signal: AbortSignal,
  ): Promise<{ readonly imageId: string }>;
  /**
   * Pushes a reference to its registry (plain HTTP on loopback), with `login` if the registry
   * requires one. Resolves with the manifest digest. Also throws `push-refused` (a retry is
   * useless) and `push-failed`.
   */
  push(reference: string, signal: AbortSignal, login?: RegistryLogin): Promise<Digest>;
  /**
   * Pulls a reference by digest from its registry, with `login` if the registry requires one. Also
   * throws `pull-refused` (a retry is useless) and `pull-failed`.
   */
  pull(reference: string, signal: AbortSignal, login?: RegistryLogin): Promise<void>;
  /** Removes a reference. A missing reference is not an error. */
  untag(reference: string): Promise<void>;
  /** Removes every reference that starts with one of `prefixes`. */
  untagAll(prefixes: readonly string[]): Promise<void>;
  /** Removes the build cache and unnamed images; resolves with the freed bytes. */
  prune(): Promise<number>;
}
