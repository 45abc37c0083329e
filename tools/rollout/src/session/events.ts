import type { ObjectKey } from '#site';
import type { StepFailure } from './step-failure.ts';

/**
 * The outcome of a step. `blocked` names the steps that failed before it; `failed` has one failure
 * for each object.
 */
export type StepOutcome =
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly failures: readonly StepFailure[] }
  | { readonly state: 'blocked'; readonly by: readonly string[] }
  | { readonly state: 'deferred'; readonly reason: string }
  | { readonly state: 'cancelled' };

/** Progress events of an apply. */
export type DeployEvent =
  | {
      readonly type: 'lock';
      readonly state: 'waiting';
      readonly holder: string;
      readonly seconds: number;
    }
  | { readonly type: 'lock'; readonly state: 'taken' | 'taken-over' | 'released' }
  /** A command that writes nothing waits until another run ends. */
  | { readonly type: 'run-waits'; readonly holder: string }
  | {
      readonly type: 'revision';
      readonly revision: number;
      readonly state: 'running' | 'good' | 'failed';
    }
  | {
      readonly type: 'written';
      readonly key: ObjectKey;
      readonly action: 'create' | 'update' | 'replace' | 'prune' | 'unstick';
      readonly reason?: string;
    }
  | { readonly type: 'warning'; readonly text: string }
  | { readonly type: 'step-started'; readonly step: string }
  | {
      readonly type: 'step-waits';
      readonly step: string;
      readonly key: ObjectKey;
      readonly reason: string;
    }
  | { readonly type: 'step-ended'; readonly step: string; readonly outcome: StepOutcome };

export type Emit = (event: DeployEvent) => void;
