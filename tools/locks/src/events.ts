import type { ImageName } from '#core';

/** Progress of a resolution, in order; `detail` is text for users. */
export type LockEvent =
  /** The series' upper constraints were fetched from this commit. */
  | {
      readonly type: 'constraints';
      readonly file: string;
      readonly repository: string;
      readonly commit: string;
    }
  | { readonly type: 'lists'; readonly suite: string }
  | { readonly type: 'resolving'; readonly image: ImageName; readonly what: string }
  | { readonly type: 'note'; readonly image: ImageName; readonly detail: string }
  | {
      readonly type: 'locked';
      readonly image: ImageName;
      readonly file: string;
      readonly outcome: 'written' | 'unchanged';
    };

export type LockEvents = (event: LockEvent) => void;
