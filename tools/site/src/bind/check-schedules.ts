import type { FileFindings } from '#core';
import { cronFault } from '#formats';
import type { Overrides } from './instance-overrides.ts';

/** Reports cron times that never occur. */
export function checkSchedules({ name, settings }: Overrides, { refuse }: FileFindings): void {
  for (const [schedule, { cron }] of Object.entries(settings.schedule ?? {})) {
    const fault = cron === undefined ? undefined : cronFault(cron);
    if (fault !== undefined)
      refuse(
        ['apps', name, 'schedule', schedule, 'cron'],
        `"${cron}" is not a valid schedule: ${fault}`,
      );
  }
}
