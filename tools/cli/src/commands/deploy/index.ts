import type { CommandGroup } from '../../command.ts';
import { list } from './action/list.ts';
import { run } from './action/run.ts';
import { apply } from './apply.ts';
import { exportCommand } from './backup/export.ts';
import { importCommand } from './backup/import.ts';
import { importKeysCommand } from './backup/import-keys.ts';
import { deleteCommand } from './delete.ts';
import { diff } from './diff.ts';
import { explain } from './explain.ts';
import { history } from './history.ts';
import { logs } from './logs.ts';
import { plan } from './plan.ts';
import { rollback } from './rollback.ts';
import { scale } from './scale.ts';
import { status } from './status.ts';
import { supportBundle } from './support-bundle.ts';
import { upgrade } from './upgrade.ts';
import { validate } from './validate.ts';
import { wait } from './wait.ts';

const action: CommandGroup = {
  name: 'action',
  description: 'list or run actions that the apps of a site define',
  commands: [list, run],
};

const backup: CommandGroup = {
  name: 'backup',
  description: 'copy backups out of the cluster of a site, and back into it',
  commands: [exportCommand, importCommand, importKeysCommand],
};

/** The group `ccp deploy`: the commands for a running cloud. */
export const deploy: CommandGroup = {
  name: 'deploy',
  description: 'deploy a site of deploy-specs/ to its cluster, and operate it',
  commands: [
    validate,
    plan,
    apply,
    upgrade,
    scale,
    status,
    wait,
    diff,
    rollback,
    history,
    logs,
    action,
    backup,
    explain,
    supportBundle,
    deleteCommand,
  ],
};
