import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findDockerd, findEngines } from '#engines';
import { isInPath, openMemo } from '#host';
import { lastPort } from '#store';
import type { MachineFinding } from '../../report/doctor-text.ts';
import { statePaths, type StatePaths } from '../../state/paths.ts';
import { engineFolder } from '../engines.ts';
import { askCheckout } from '../git.ts';
import { cacheFolder, readSettings, readUserSettings, type Settings } from '../settings.ts';
import { checkClock } from './check-clock.ts';
import { checkDisk, type UsedFolder } from './check-disk.ts';
import { checkEngine } from './check-engine.ts';
import { checkGit } from './check-git.ts';
import { checkKernel } from './check-kernel.ts';
import { checkMirrors, mirrorUrls } from './check-mirrors.ts';
import { checkHostPorts } from './check-ports.ts';
import { guarded } from './guarded.ts';
import { addresses, probe, readTextFile, spaceOf, tryPort } from './machine.ts';

/**
 * Checks this machine, and the settings, folders and mirrors of the workspace at `root`, if there
 * is one; `own` is the folder of the tool. Changes nothing.
 */
export async function examineMachine(
  root: string | undefined,
  own: string,
): Promise<readonly MachineFinding[]> {
  const paths = root === undefined ? undefined : statePaths(root);
  let settings: Settings = {};
  const settingsFault = await guarded('settings', () => {
    settings = paths === undefined ? readUserSettings() : readSettings(root!, openMemo(paths.memo));
    return [];
  });
  const probing = Promise.all(mirrorUrls(settings.mirrors).map(probe));
  const engine = await guarded('engine', () =>
    checkEngine({
      findEngines: () =>
        findEngines({ endpoints: settings.engines ?? [], folder: engineFolder(settings) }),
      isRoot: process.getuid?.() === 0,
      hasDockerd: () => findDockerd() !== undefined,
    }),
  );
  const git = await guarded('git', () =>
    checkGit({
      isInstalled: isInPath('git'),
      readRepository: () => root !== undefined && askCheckout(root, ['rev-parse', '--git-dir']),
    }),
  );
  const disk = await guarded('disk', () =>
    checkDisk([...workspaceFolders(paths), ...inputFolders(settings)], spaceOf),
  );
  const ports = await guarded('ports', () =>
    checkHostPorts({ lastPort: () => paths && lastPort(paths.store), tryPort, addresses }),
  );
  const probes = await probing;
  return [
    ...(root === undefined ? [NO_WORKSPACE] : []),
    ...settingsFault,
    ...engine,
    ...git,
    ...disk,
    ...(await guarded('kernel', () => checkKernel(readTextFile))),
    ...ports,
    ...(await guarded('mirrors', () => checkMirrors(probes))),
    ...(await guarded('clock', () => [
      checkClock({
        now: new Date(),
        installed: statSync(join(own, 'package.json')).mtime,
        probes,
      }),
    ])),
  ];
}

const NO_WORKSPACE: MachineFinding = {
  check: 'workspace',
  outcome: 'warning',
  detail:
    'the current folder is in no workspace; only the machine and your own settings are checked',
  hint: 'run `ccp doctor` in a workspace, or select one with -C',
};

function workspaceFolders(paths: StatePaths | undefined): readonly UsedFolder[] {
  const purpose = 'images and logs';
  const hint = 'put the workspace on a larger disk';
  return paths === undefined ? [] : [{ purpose, folder: paths.folder, hint }];
}

function inputFolders(settings: Settings): readonly UsedFolder[] {
  const purpose = 'inputs and engine';
  const hint = 'set CCP_CACHE to a folder on a larger disk';
  return [{ purpose, folder: cacheFolder(settings), hint }];
}
