import type { FileFindings } from '#core';
import type { AppSpec } from './app-spec.ts';

/** Settings whose default is not of those that they allow. */
export function checkSettings({ settings = {} }: AppSpec, { refuse }: FileFindings): void {
  for (const [name, { default: value, minimum }] of Object.entries(settings)) {
    if (minimum === undefined) continue;
    if (typeof value !== 'number' || !Number.isSafeInteger(value))
      refuse(['settings', name, 'minimum'], `only a whole number has a minimum, and the default of "${name}" is none`);
    else if (value < minimum) refuse(['settings', name, 'default'], `the default of "${name}" is less than its minimum ${minimum}`);
  }
}
