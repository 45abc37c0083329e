import type { CommandGroup } from '../../command.ts';
import { check } from './check.ts';

/** The group `ccp application`: applications for StarlingX. */
export const application: CommandGroup = {
  name: 'application',
  description: 'check applications for StarlingX',
  commands: [check],
};
