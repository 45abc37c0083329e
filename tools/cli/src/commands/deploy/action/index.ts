import type { CommandGroup } from '../../../command.ts';
import { list } from './list.ts';
import { run } from './run.ts';

/** The group `ccp deploy action`. */
export const action: CommandGroup = {
  name: 'action',
  description: 'list or run actions that the apps of a site define',
  commands: [list, run],
};
