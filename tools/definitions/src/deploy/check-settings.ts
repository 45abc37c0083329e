import { memoryFault, rulesFault, settingFault, type FileFindings } from '#core';
import type { AppSpec } from './app-spec.ts';

/** Settings whose default is not of those that they allow, and rules for what is no text or number. */
export function checkSettings({ settings = {}, workloads }: AppSpec, { refuse, known }: FileFindings): void {
  const limits = new Map(
    Object.entries(workloads).flatMap(([workload, { containers }]) =>
      Object.entries(containers).map(([name, { resources }]) => [`${workload}.${name}`, resources.limits?.memory]),
    ),
  );
  for (const [name, setting] of Object.entries(settings)) {
    const path = ['settings', name];
    const { default: value, minimum, pattern, choices, within } = setting;
    if (within !== undefined) known([...path, 'within'], 'container', within, limits.keys());
    const broken = rulesFault(setting);
    if (minimum !== undefined && !Number.isSafeInteger(value))
      refuse([...path, 'minimum'], `only a whole number has a minimum, and the default of "${name}" is none`);
    else if ((pattern ?? choices) !== undefined && typeof value !== 'string')
      refuse(path, `only a text has a pattern or choices, and the default of "${name}" is none`);
    else if (broken !== undefined) refuse([...path, 'pattern'], broken);
    else {
      const fault = settingFault(setting, value) ?? (within === undefined ? undefined : memoryFault(value, limits.get(within)));
      if (fault !== undefined) refuse([...path, 'default'], `the default of "${name}" ${fault}`);
    }
  }
}
