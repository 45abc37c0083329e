import type { Clock } from '#ports';

/** RFC 3339 in UTC with milliseconds. */
export function timeText(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}
