import type { Assessment } from './assessment.ts';
import type { PodFailure } from './pod-failure.ts';

/**
 * The text about an object that is not done: its progress and the failure of its worst pod, or why
 * it gets no pods. A cause comes before its consequence.
 */
export function failureText(
  state: Exclude<Assessment, { state: 'done' }>,
  failure: PodFailure | undefined,
  lacks?: string,
): string {
  const cause =
    failure === undefined ? lacks : `pod ${failure.pod.metadata.name}: ${failure.reason}`;
  const follows = state.state === 'progressing' && state.follows === true;
  const parts = follows ? [cause, state.reason] : [state.reason, cause];
  return parts.filter((part) => part !== undefined).join('; ');
}
