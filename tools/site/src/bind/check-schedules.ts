import type { CcpError } from '#core';
import { cronFault } from '#formats';
import type { Overrides } from './instance-overrides.ts';
import { siteFindings } from './site-findings.ts';

/** Reports cron times that never occur. */
export function checkSchedules(of: Overrides): readonly CcpError[] {
  const { findings, refuse } = siteFindings(of.site);
  const { name, settings } = of;
  for (const [schedule, { cron }] of Object.entries(settings.schedule ?? {})) {
    const fault = cron === undefined ? undefined : cronFault(cron);
    if (fault !== undefined)
      refuse(
        ['apps', name, 'schedule', schedule, 'cron'],
        `"${cron}" is not a valid schedule: ${fault}`,
      );
  }
  return findings;
}
