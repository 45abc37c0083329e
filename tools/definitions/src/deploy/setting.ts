import type { SettingRules } from '#core';

/** A value that a site may set. */
export interface Setting extends SettingRules {
  readonly description: string;
  /** `WORKLOAD.CONTAINER` whose memory limit an amount of memory stays below; a number is of MiB. */
  readonly within?: string;
}
