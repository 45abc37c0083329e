import type { Digest, Fingerprint, ImageName, Platform, Position, Series } from '#core';
import type { ContainerRunner, ImageEngine, ImageStore, StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { TestReport } from './image-tests/types.ts';

/** Time as a run sees it; a test gives a virtual one. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** How long images took in earlier runs, seconds. */
export interface DurationStore {
  /** Absent where the image was never built. */
  measured(image: ImageName): number | undefined;
  record(image: ImageName, seconds: number): void;
  /** Writes what was recorded, atomically. */
  save(): Promise<void>;
}

/** An engine of the fleet, what runs containers on it, and how many images it builds at once. */
export interface BuildEngine {
  readonly engine: ImageEngine;
  readonly runner: ContainerRunner;
  readonly slots: number;
}

/** An image that is sealed and not yet named, on the engine that built it; or a stored one whose tests changed. */
export interface ImageUnderTest {
  readonly planned: PlannedImage;
  readonly stored: StoredImage;
  /** `HOST:PORT/NAME@sha256:…`, already pulled by the runner's engine. */
  readonly reference: string;
  readonly runner: ContainerRunner;
}

/** What an engine builds an image from, rendered and listed. */
export interface ImageContext {
  /** Gives its tar, anew each time. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Where the text of a step stands that an engine names; undefined where that is not known. */
  readonly locate?: (step: string) => Position | undefined;
  /** What the last words of a step that failed mean, where it is something of the image's definition. */
  readonly explain?: (words: string) => StepFault | undefined;
}

/** A fault of a definition that only a step finds. */
export interface StepFault {
  readonly message: string;
  readonly hint: string;
  readonly at: Position;
}

/** Everything a run touches. */
export interface BuildPorts {
  readonly engines: readonly BuildEngine[];
  readonly store: ImageStore;
  openContext(image: PlannedImage, signal: AbortSignal): Promise<ImageContext>;
  /** Runs the image's tests. */
  testImage(image: ImageUnderTest, signal: AbortSignal): Promise<TestReport>;
  /** True where a stored image has passed the tests that it has now: it is taken as it is. */
  hasPassed(image: PlannedImage, stored: StoredImage): boolean;
  readonly durations: DurationStore;
  readonly clock: Clock;
}

export interface BuildOptions {
  /** Absolute path of the folder that gets `<image>.log`. */
  readonly logs: string;
  /** Upper bound for images built at once over all engines; the engines' slots where absent. */
  readonly jobs?: number;
  /** Build without the engine's cache. */
  readonly noCache?: boolean;
  /** Build also what the store has, where the plan says `build`. */
  readonly rebuild?: boolean;
  /** How often an engine call is tried where its fault is transient; 4 where absent. */
  readonly attempts?: number;
}

/** What went wrong, as data. */
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

/** Seconds from the start of the image to its end, and where its log is. */
interface Attempted {
  readonly seconds: number;
  /** Absolute path. */
  readonly log: string;
  /** Name of the engine. */
  readonly engine: string;
}

/** What became of an image. */
export type Outcome =
  /** The store had the fingerprint. */
  | (OutcomeBase & { readonly type: 'reused'; readonly stored: StoredImage })
  /** The store had the content key under another fingerprint. */
  | (OutcomeBase & { readonly type: 'aliased'; readonly stored: StoredImage })
  /** `before` is what the store had of the same inputs and parents, where the build gave other bytes. */
  | (OutcomeBase & Attempted & { readonly type: 'built'; readonly stored: StoredImage; readonly unlocked: boolean; readonly before?: Digest })
  | (OutcomeBase & Partial<Attempted> & { readonly type: 'failed'; readonly fault: BuildFault; readonly lastLines: readonly string[] })
  /** `by` names the failed images among its ancestors. */
  | (OutcomeBase & { readonly type: 'blocked'; readonly by: readonly ImageName[] })
  | (OutcomeBase & Partial<Attempted> & { readonly type: 'cancelled' });

/** What one run came to for one series and platform. */
export interface BuildResult {
  readonly series: Series;
  readonly platform: Platform;
  /** One for each image of the plan, in its order. */
  readonly outcomes: readonly Outcome[];
  /** True where every image is built, reused or aliased. */
  readonly complete: boolean;
  readonly cancelled: boolean;
  readonly seconds: number;
}

/** A step of a running image, for progress. */
export interface RunningStep {
  readonly image: ImageName;
  readonly step: string;
  /** When the image started, milliseconds since the epoch. */
  readonly since: number;
}

/** What a run tells, in order; `at` is milliseconds since the epoch. */
export type BuildEvent =
  | {
      readonly type: 'run-started';
      readonly at: number;
      readonly total: number;
      /** Images that the plan builds. */
      readonly build: number;
      readonly slots: number;
      /** Seconds that the whole run, and its longest chain of images, will take by earlier runs. */
      readonly estimate: number;
      readonly criticalPath: number;
      /** Images whose RUN steps have a network. */
      readonly unlocked: readonly ImageName[];
    }
  | { readonly type: 'image-started'; readonly at: number; readonly image: ImageName; readonly version: string; readonly engine: string; readonly log: string }
  | { readonly type: 'step'; readonly at: number; readonly image: ImageName; readonly name: string; readonly state: 'started' | 'cached' | 'done' | 'failed' }
  | { readonly type: 'output'; readonly at: number; readonly image: ImageName; readonly text: string }
  | { readonly type: 'retry'; readonly at: number; readonly image: ImageName; readonly fault: BuildFault; readonly attempt: number; readonly waitMs: number }
  /** Lines of the image's log could not be written. */
  | { readonly type: 'log-lost'; readonly at: number; readonly image: ImageName; readonly message: string }
  | { readonly type: 'image-finished'; readonly at: number; readonly outcome: Outcome }
  | {
      readonly type: 'progress';
      readonly at: number;
      readonly done: number;
      readonly total: number;
      readonly running: readonly RunningStep[];
      /** Seconds left by earlier runs. */
      readonly eta: number;
    }
  | { readonly type: 'run-finished'; readonly at: number; readonly result: BuildResult };

/** Takes each event of a run as it happens. */
export type EmitBuildEvent = (event: BuildEvent) => void;

/** Digests of an image's parents by role. */
export type ParentDigests = Readonly<Record<string, Digest>>;
