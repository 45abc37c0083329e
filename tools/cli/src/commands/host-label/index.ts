import type { CommandGroup } from '../../command.ts';
import { assign } from './assign.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';

/** The group `ccp host-label`: labels of nodes, by the rules of StarlingX. */
export const hostLabel: CommandGroup = {
  name: 'host-label',
  description: 'list, assign or remove labels of hosts; labels of roles need a locked host',
  commands: [assign, list, remove],
};
