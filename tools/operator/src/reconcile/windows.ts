import { durationMs } from '../resources/durations.ts';
import type { MaintenanceWindow } from '../resources/types.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const DAY_MS = 86_400_000;

/**
 * When the next maintenance window opens, in milliseconds since 1970; `undefined` if one is open,
 * or if there are none and any time is right. Windows may pass midnight. Pure.
 */
export function nextWindow(windows: readonly MaintenanceWindow[], now: number): number | undefined {
  const midnight = Math.floor(now / DAY_MS) * DAY_MS;
  const starts = windows.flatMap(({ days = DAYS, start, duration }) =>
    Array.from({ length: 16 }, (_, index) => midnight + (index - 8) * DAY_MS)
      .filter((day) => days.includes(DAYS[new Date(day).getUTCDay()]!))
      .map((day) => day + timeOfDay(start))
      .map((from) => ({ from, until: from + durationMs(duration) })),
  );
  if (windows.length === 0 || starts.some(({ from, until }) => from <= now && now < until))
    return undefined;
  return Math.min(...starts.flatMap(({ from }) => (from > now ? [from] : [])));
}

function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}
