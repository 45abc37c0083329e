import { cronFault, type FileFindings } from '#core';
import type { Overrides } from './check-overrides.ts';

/** Times of schedules that never come. */
export function checkSchedules({ name, settings }: Overrides, { refuse }: FileFindings): void {
  for (const [schedule, { cron }] of Object.entries(settings.schedule ?? {})) {
    const fault = cron === undefined ? undefined : cronFault(cron);
    if (fault !== undefined) refuse(['apps', name, 'schedule', schedule, 'cron'], `"${cron}" is no time of a schedule: ${fault}`);
  }
}
