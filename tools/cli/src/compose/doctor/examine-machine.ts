import { statSync } from 'node:fs';
import { join } from 'node:path';
import { findDockerd, findEngines } from '#engines';
import { openMemo } from '#host';
import { lastPort } from '#store';
import type { MachineFinding } from '../../report/doctor-text.ts';
import { statePaths } from '../../state/paths.ts';
import { engineFolder } from '../engines.ts';
import { cacheFolder, readSettings } from '../settings.ts';
import { checkClock } from './check-clock.ts';
import { checkDisk } from './check-disk.ts';
import { checkEngine } from './check-engine.ts';
import { checkKernel } from './check-kernel.ts';
import { checkMirrors, mirrorUrls } from './check-mirrors.ts';
import { checkHostPorts } from './check-ports.ts';
import { guarded } from './guarded.ts';
import { addresses, probe, readTextFile, spaceOf, tryPort } from './machine.ts';

/**
 * Checks this machine for the workspace at `root`; `own` is the folder of the tool. Changes
 * nothing. Throws the errors of `readSettings` and `statePaths`.
 */
export async function examineMachine(
  root: string,
  own: string,
): Promise<readonly MachineFinding[]> {
  const paths = statePaths(root);
  const settings = readSettings(root, openMemo(paths.memo));
  const probing = Promise.all(mirrorUrls(settings.mirrors).map(probe));
  const engine = await guarded('engine', () =>
    checkEngine({
      findEngines: () =>
        findEngines({ endpoints: settings.engines ?? [], folder: engineFolder(settings) }),
      isRoot: process.getuid?.() === 0,
      hasDockerd: () => findDockerd() !== undefined,
    }),
  );
  const disk = await guarded('disk', () =>
    checkDisk(
      [
        {
          purpose: 'images and logs',
          folder: paths.folder,
          hint: 'put the workspace on a larger disk',
        },
        {
          purpose: 'inputs and engine',
          folder: cacheFolder(settings),
          hint: 'set CCP_CACHE to a folder on a larger disk',
        },
      ],
      spaceOf,
    ),
  );
  const ports = await guarded('ports', () =>
    checkHostPorts({ lastPort: () => lastPort(paths.store), tryPort, addresses }),
  );
  const probes = await probing;
  return [
    ...engine,
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
