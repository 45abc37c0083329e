import type { Digest, Fingerprint, ImageName, Platform, Position, Series } from '#core';
import type { Clock, ContainerRunner, ImageEngine, ImageStore, StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { KnownDurations } from './estimate-durations.ts';
import type { TestReport } from './image-tests/types.ts';

/** Build times of images in earlier runs, in seconds. */
export interface DurationStore extends KnownDurations {
  record(image: ImageName, seconds: number): void;
  /** Writes the recorded durations atomically. */
  save(): Promise<void>;
}

/** An engine, the runner of its containers, and the number of images it builds in parallel. */
export interface BuildEngine {
  readonly engine: ImageEngine;
  readonly runner: ContainerRunner;
  readonly slots: number;
}

/** A sealed image that is not named yet, or a stored image whose tests changed. */
export interface ImageUnderTest {
  readonly planned: PlannedImage;
  readonly stored: StoredImage;
  /** `HOST:PORT/NAME@sha256:…`; `runner` pulls it before its first container. */
  readonly reference: string;
  readonly runner: ContainerRunner;
}

/** An image's build context. */
export interface ImageContext {
  /** Returns a new stream of the context's tar for each call. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** The position of a step's text in the template; undefined if unknown. */
  readonly locate?: (step: string) => Position | undefined;
  /**
   * The fault in the image's definition that caused a step's error message; undefined if unknown.
   */
  readonly explain?: (words: string) => StepFault | undefined;
}

/** A fault in a definition that is found by running a step. */
export interface StepFault {
  readonly message: string;
  readonly hint: string;
  readonly at: Position;
}

/** The dependencies of a run. */
export interface BuildPorts {
  readonly engines: readonly BuildEngine[];
  readonly store: ImageStore;
  openContext(image: PlannedImage, signal: AbortSignal): Promise<ImageContext>;
  /** Runs the image's tests. */
  testImage(image: ImageUnderTest, signal: AbortSignal): Promise<TestReport>;
  /** True if a stored image has passed its current tests and need not be tested again. */
  hasPassed(image: PlannedImage, stored: StoredImage): boolean;
  readonly durations: DurationStore;
  readonly clock: Clock;
}

export interface BuildOptions {
  /** Absolute path of the folder for `<image>.log`. */
  readonly logs: string;
  /**
   * Maximum number of images built in parallel on all engines; by default the sum of their slots.
   */
  readonly jobs?: number;
  /** True to build without the engine's cache. */
  readonly noCache?: boolean;
  /** True to build images with the action `build` even if they are stored. */
  readonly rebuild?: boolean;
  /** Maximum number of attempts of an engine call after transient faults; 4 by default. */
  readonly attempts?: number;
}

/** An error as data. */
export interface BuildFault {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

interface OutcomeBase {
  readonly image: ImageName;
  readonly fingerprint: Fingerprint;
  readonly version: string;
}

/** The duration of the build or the tests in seconds, and the log. */
interface Attempted {
  readonly seconds: number;
  /** Absolute path. */
  readonly log: string;
  /** Name of the engine. */
  readonly engine: string;
}

/** The result of an image in a run. */
export type Outcome =
  /** The store had the fingerprint. */
  | (OutcomeBase & { readonly type: 'reused'; readonly stored: StoredImage })
  /** The store had the content key under another fingerprint. */
  | (OutcomeBase & { readonly type: 'aliased'; readonly stored: StoredImage })
  /** `before` is the stored image of the same inputs and parents, if its digest was different. */
  | (OutcomeBase &
      Attempted & {
        readonly type: 'built';
        readonly stored: StoredImage;
        readonly unlocked: boolean;
        readonly before?: Digest;
      })
  | (OutcomeBase &
      Partial<Attempted> & {
        readonly type: 'failed';
        readonly fault: BuildFault;
        readonly lastLines: readonly string[];
      })
  /** `by` lists the failed images among its ancestors, sorted by name. */
  | (OutcomeBase & { readonly type: 'blocked'; readonly by: readonly ImageName[] })
  | (OutcomeBase & Partial<Attempted> & { readonly type: 'cancelled' });

/** The result of a run for one series and platform. */
export interface BuildResult {
  readonly series: Series;
  readonly platform: Platform;
  /** One per image of the plan, in the same order. */
  readonly outcomes: readonly Outcome[];
  /** True if every image is built, reused or aliased. */
  readonly complete: boolean;
  readonly cancelled: boolean;
  readonly seconds: number;
}

/** The current step of a running image. */
export interface RunningStep {
  readonly image: ImageName;
  readonly step: string;
  /** Start time of the image, in milliseconds since the epoch. */
  readonly since: number;
}

/** The events of a run, in order; `at` is in milliseconds since the epoch. */
export type BuildEvent =
  | {
      readonly type: 'run-started';
      readonly at: number;
      readonly total: number;
      /** Number of images that the plan builds. */
      readonly build: number;
      readonly slots: number;
      /** Estimated seconds of the whole run and of its critical path, from earlier runs. */
      readonly estimate: number;
      readonly criticalPath: number;
      /** Images whose RUN steps have a network. */
      readonly unlocked: readonly ImageName[];
    }
  | {
      readonly type: 'image-started';
      readonly at: number;
      readonly image: ImageName;
      readonly version: string;
      readonly engine: string;
      readonly log: string;
    }
  | {
      readonly type: 'step';
      readonly at: number;
      readonly image: ImageName;
      readonly name: string;
      readonly state: 'started' | 'cached' | 'done' | 'failed';
    }
  | {
      readonly type: 'output';
      readonly at: number;
      readonly image: ImageName;
      readonly text: string;
    }
  | {
      readonly type: 'retry';
      readonly at: number;
      readonly image: ImageName;
      readonly fault: BuildFault;
      readonly attempt: number;
      readonly waitMs: number;
    }
  /** Lines could not be written to the image's log. */
  | {
      readonly type: 'log-lost';
      readonly at: number;
      readonly image: ImageName;
      readonly message: string;
    }
  | { readonly type: 'image-finished'; readonly at: number; readonly outcome: Outcome }
  | {
      readonly type: 'progress';
      readonly at: number;
      readonly done: number;
      readonly total: number;
      readonly running: readonly RunningStep[];
      /** Estimated seconds left. */
      readonly eta: number;
    }
  | { readonly type: 'run-finished'; readonly at: number; readonly result: BuildResult };

/** Receives the events of a run. */
export type EmitBuildEvent = (event: BuildEvent) => void;

/** Digests of an image's parents by role. */
export type ParentDigests = Readonly<Record<string, Digest>>;
