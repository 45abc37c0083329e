import { textFault, type TextRules } from './text-rules.ts';

/** What a value may be that has the type of its default; the rules of texts are for those that are text. */
export interface SettingRules extends TextRules {
  readonly default: string | number | boolean;
  /** Least that a whole number may be. */
  readonly minimum?: number;
}

/** Why a value is none that the rules allow, as a clause after its name; `undefined` where it is one. */
export function settingFault({ default: wanted, minimum, ...rules }: SettingRules, value: string | number | boolean): string | undefined {
  if (typeof value !== typeof wanted) return `must be a ${typeof wanted}`;
  if (minimum !== undefined && !(Number.isSafeInteger(value) && Number(value) >= minimum)) return `must be a whole number of at least ${minimum}, not ${value}`;
  const fault = typeof value === 'string' ? textFault(rules, value) : undefined;
  return fault === undefined ? undefined : `${fault}, not ${JSON.stringify(value)}`;
}
