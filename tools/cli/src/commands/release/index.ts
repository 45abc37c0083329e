import type { CommandGroup } from '../../command.ts';
import { bundle } from './bundle.ts';
import { create } from './create.ts';
import { diff } from './diff.ts';
import { list } from './list.ts';
import { mirror } from './mirror.ts';
import { promote } from './promote.ts';
import { rebuild } from './rebuild.ts';
import { rollback } from './rollback.ts';
import { show } from './show.ts';
import { verify } from './verify.ts';

/** The group `ccp release`: versions of published image sets. */
export const release: CommandGroup = {
  name: 'release',
  description: 'name published image sets by versions, compare them and move aliases',
  commands: [create, list, show, diff, promote, rollback, verify, rebuild, mirror, bundle],
};
