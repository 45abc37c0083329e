import type { CommandGroup } from '../../command.ts';
import { abort } from './abort.ts';
import { apply } from './apply.ts';
import { check } from './check.ts';
import { deleteCommand } from './delete.ts';
import { list } from './list.ts';
import { remove } from './remove.ts';
import { show } from './show.ts';
import { update } from './update.ts';
import { upload } from './upload.ts';

/** The group `ccp application`: the verbs of StarlingX on any cluster. */
export const application: CommandGroup = {
  name: 'application',
  description: 'deploy applications by the verbs of StarlingX, on any cluster',
  commands: [check, upload, apply, update, remove, deleteCommand, abort, list, show],
};
