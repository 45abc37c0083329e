import type { CommandGroup } from '../../command.ts';
import { chart } from './chart.ts';
import { operator } from './operator.ts';
import { tarball } from './tarball.ts';
import { yaml } from './yaml.ts';

/** The group `ccp export`: the objects of a site as files of other tools. */
export const exportGroup: CommandGroup = {
  name: 'export',
  description: 'write the objects of a site as files for other tools',
  commands: [chart, tarball, yaml, operator],
};
