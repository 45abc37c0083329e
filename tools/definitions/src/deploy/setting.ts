import type { SettingRules } from '#formats';

/** A value that a site can set. */
export interface Setting extends SettingRules {
  readonly description: string;
  /** `WORKLOAD.CONTAINER` whose memory limit the value must stay below; a number is in MiB. */
  readonly within?: string;
}
