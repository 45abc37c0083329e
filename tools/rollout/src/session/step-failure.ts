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
   * The last lines of the container's output and earlier lines that show the cause, with marks for
   * omitted lines.
   */
  readonly log: readonly string[];
  /** Latest warnings about the pod and the object. */
  readonly events: readonly string[];
}

/** A failure that is known without looking at pods. */
export function plainFailure(key: ObjectKey, reason: string): StepFailure {
  return { key, reason, log: [], events: [] };
}
