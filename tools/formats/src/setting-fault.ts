import { textFault, type TextRules } from './text-rules.ts';

/**
 * The allowed values of a setting, which has the type of its default. `TextRules` apply to strings.
 */
export interface SettingRules extends TextRules {
  readonly default: string | number | boolean;
  /** Minimum of a whole number. */
  readonly minimum?: number;
}

/** Why the rules refuse a value, as a clause after its name; `undefined` if they allow it. */
export function settingFault(
  { default: wanted, minimum, ...rules }: SettingRules,
  value: string | number | boolean,
): string | undefined {
  if (typeof value !== typeof wanted) return `must be a ${typeof wanted}`;
  if (minimum !== undefined && !(Number.isSafeInteger(value) && Number(value) >= minimum))
    return `must be a whole number of at least ${minimum}, not ${value}`;
  const fault = typeof value === 'string' ? textFault(rules, value) : undefined;
  return fault === undefined ? undefined : `${fault}, not ${JSON.stringify(value)}`;
}
