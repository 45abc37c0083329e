import type { ObjectKey } from '../live/object-key.ts';
import type { StepFailure } from '../wait/failure.ts';

/** How a step ended. `blocked` names the steps that would have had to be done first; `failed` has one failure for each object. */
export type StepOutcome =
  | { readonly state: 'done' }
  | { readonly state: 'failed'; readonly failures: readonly StepFailure[] }
  | { readonly state: 'blocked'; readonly by: readonly string[] }
  | { readonly state: 'deferred'; readonly reason: string }
  | { readonly state: 'cancelled' };

/** What an apply tells while it runs. */
export type DeployEvent =
  | { readonly type: 'lock'; readonly state: 'waiting'; readonly holder: string; readonly seconds: number }
  | { readonly type: 'lock'; readonly state: 'taken' | 'taken-over' | 'released' }
  | { readonly type: 'revision'; readonly revision: number; readonly state: 'running' | 'good' | 'failed' }
  | { readonly type: 'written'; readonly key: ObjectKey; readonly action: 'create' | 'update' | 'replace' | 'prune' | 'unstick'; readonly reason?: string }
  | { readonly type: 'step-started'; readonly step: string }
  | { readonly type: 'step-waits'; readonly step: string; readonly key: ObjectKey; readonly reason: string }
  | { readonly type: 'step-ended'; readonly step: string; readonly outcome: StepOutcome };

export type Emit = (event: DeployEvent) => void;
