import type { SettingRules } from '#core';

/** A value that a site may set. */
export interface Setting extends SettingRules {
  readonly description: string;
}
