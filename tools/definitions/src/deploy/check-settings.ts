import type { FileFindings } from '#core';
import { memoryFault, rulesFault, settingFault } from '#formats';
import type { AppSpec } from './app-spec.ts';

/**
 * Refuses defaults that a setting does not allow, and rules that do not match the setting's type.
 */
export function checkSettingSpecs(
  { settings = {}, workloads }: AppSpec,
  { refuse, known }: FileFindings,
): void {
  const limits = new Map(
    Object.entries(workloads).flatMap(([workload, { containers }]) =>
      Object.entries(containers).map(([name, { resources }]) => [
        `${workload}.${name}`,
        resources.limits?.memory,
      ]),
    ),
  );
  for (const [name, setting] of Object.entries(settings)) {
    const path = ['settings', name];
    const { default: value, minimum, pattern, choices, within } = setting;
    if (within !== undefined) known([...path, 'within'], 'container', within, limits.keys());
    const broken = rulesFault(setting);
    if (minimum !== undefined && !Number.isSafeInteger(value))
      refuse(
        [...path, 'minimum'],
        `only a whole number can have a minimum; the default of "${name}" is not a whole number`,
      );
    else if ((pattern ?? choices) !== undefined && typeof value !== 'string')
      refuse(
        path,
        `only a text can have a pattern or choices; the default of "${name}" is not a text`,
      );
    else if (broken !== undefined) refuse([...path, 'pattern'], broken);
    else {
      const fault =
        settingFault(setting, value) ??
        (within === undefined ? undefined : memoryFault(value, limits.get(within)));
      if (fault !== undefined) refuse([...path, 'default'], `the default of "${name}" ${fault}`);
    }
  }
}
