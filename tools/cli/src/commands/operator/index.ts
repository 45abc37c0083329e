import type { CommandGroup } from '../../command.ts';
import { install } from './install.ts';
import { run } from './run.ts';
import { uninstall } from './uninstall.ts';

/** The group `ccp operator`: sites that custom resources in a cluster describe. */
export const operator: CommandGroup = {
  name: 'operator',
  description: 'deploy sites from custom resources inside a cluster',
  commands: [run, install, uninstall],
};
