import { rulesFault, settingFault, type FileFindings } from '#core';
import type { AppSpec } from './app-spec.ts';

/** Settings whose default is not of those that they allow, and rules for what is no text or number. */
export function checkSettings({ settings = {} }: AppSpec, { refuse }: FileFindings): void {
  for (const [name, setting] of Object.entries(settings)) {
    const path = ['settings', name];
    const { default: value, minimum, pattern, choices } = setting;
    const broken = rulesFault(setting);
    if (minimum !== undefined && !Number.isSafeInteger(value))
      refuse([...path, 'minimum'], `only a whole number has a minimum, and the default of "${name}" is none`);
    else if ((pattern ?? choices) !== undefined && typeof value !== 'string')
      refuse(path, `only a text has a pattern or choices, and the default of "${name}" is none`);
    else if (broken !== undefined) refuse([...path, 'pattern'], broken);
    else {
      const fault = settingFault(setting, value);
      if (fault !== undefined) refuse([...path, 'default'], `the default of "${name}" ${fault}`);
    }
  }
}
