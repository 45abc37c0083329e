import { memoryFault, settingFault, type FileFindings } from '#core';
import type { Overrides } from './check-overrides.ts';

/** Settings with a value that the app does not take, and memory beyond the limit of the container that it is for. */
export function checkSettings(of: Overrides, { refuse }: FileFindings): void {
  for (const [key, value] of Object.entries(of.settings.settings ?? {})) {
    const setting = of.spec.settings?.[key];
    const fault = setting === undefined ? undefined : settingFault(setting, value);
    if (fault !== undefined) refuse(['apps', of.name, 'settings', key], `the setting "${key}" ${fault}`, setting!.description);
  }
  for (const [key, { within, default: wanted }] of Object.entries(of.spec.settings ?? {})) {
    if (within === undefined) continue;
    const [workload = '', container = ''] = within.split('.');
    const own = of.spec.workloads[workload]?.containers[container]?.resources.limits;
    const changed = of.settings.resources?.[workload]?.[container]?.limits;
    const fault = memoryFault(of.settings.settings?.[key] ?? wanted, { ...own, ...changed }.memory);
    const path = of.settings.settings?.[key] === undefined ? ['resources', workload, container] : ['settings', key];
    if (fault !== undefined)
      refuse(['apps', of.name, ...path], `the setting "${key}" ${fault}`, `say both: settings.${key} and resources.${within}.limits.memory`);
  }
}
