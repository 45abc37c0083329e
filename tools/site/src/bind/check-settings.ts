import type { CcpError } from '#core';
import { memoryFault, settingFault } from '#formats';
import type { Overrides } from './instance-overrides.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Reports setting values that the app does not allow, and memory settings above the memory limit of
 * their container.
 */
export function checkSettings(of: Overrides): readonly CcpError[] {
  const { findings, refuse } = siteFindings(of.site);
  for (const [key, value] of Object.entries(of.settings.settings ?? {})) {
    const setting = of.spec.settings?.[key];
    const fault = setting === undefined ? undefined : settingFault(setting, value);
    if (fault !== undefined)
      refuse(
        ['apps', of.name, 'settings', key],
        `the setting "${key}" ${fault}`,
        setting!.description,
      );
  }
  for (const [key, { within, default: wanted }] of Object.entries(of.spec.settings ?? {})) {
    if (within === undefined) continue;
    const [workload = '', container = ''] = within.split('.');
    const own = of.spec.workloads[workload]?.containers[container]?.resources.limits;
    const changed = of.settings.resources?.[workload]?.[container]?.limits;
    const fault = memoryFault(of.settings.settings?.[key] ?? wanted, { ...own, ...changed }.memory);
    const path =
      of.settings.settings?.[key] === undefined
        ? ['resources', workload, container]
        : ['settings', key];
    if (fault !== undefined)
      refuse(
        ['apps', of.name, ...path],
        `the setting "${key}" ${fault}`,
        `set both: settings.${key} and resources.${within}.limits.memory`,
      );
  }
  return findings;
}
