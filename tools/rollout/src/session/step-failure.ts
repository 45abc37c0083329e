import type { ObjectKey } from '#site';

/** Why an object failed, with the details that help to fix it. */
export interface StepFailure {
  readonly key: ObjectKey;
  /** A clause that follows the object's name. */
  readonly reason: string;
  readonly pod?: string;
  readonly container?: string;
  readonly exitCode?: number;
  /**
   * Of the container's output the last lines, and those before that tell why; with marks where
   * lines are left out.
   */
  readonly log: readonly string[];
  /** Latest warnings about the pod and the object. */
  readonly events: readonly string[];
}

/** A failure that is known without looking at pods. */
export function plainFailure(key: ObjectKey, reason: string): StepFailure {
  return { key, reason, log: [], events: [] };
}
