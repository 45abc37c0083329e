import type { CommandGroup } from '../../command.ts';
import { deleteCommand } from './delete.ts';
import { list } from './list.ts';
import { show } from './show.ts';
import { update } from './update.ts';

/** The group `ccp helm-override`: values of an application's charts, by layer. */
export const helmOverride: CommandGroup = {
  name: 'helm-override',
  description: "list, show or change overrides of an application's charts",
  commands: [list, show, update, deleteCommand],
};
