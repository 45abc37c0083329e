import type { Assessment } from './assessment.ts';
import type { PodTrouble } from './pod-trouble.ts';

/** What is said of an object that is not done: how far it is, and the trouble of its worst pod, or what it lacks to get one. A cause comes before what only follows from it. */
export function troubleText(state: Exclude<Assessment, { state: 'done' }>, trouble: PodTrouble | undefined, lacks?: string): string {
  const cause = trouble === undefined ? lacks : `pod ${trouble.pod.metadata.name}: ${trouble.reason}`;
  const follows = state.state === 'progressing' && state.follows === true;
  const parts = follows ? [cause, state.reason] : [state.reason, cause];
  return parts.filter((part) => part !== undefined).join('; ');
}
