import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, messageOf } from '#core';

/**
 * The error `machine-modules` if the npm packages of the tool in `own` are damaged, which explains
 * the unexpected error `thrown`; undefined if they are complete, or if the tool has no launcher.
 */
export function damagedModules(own: string, thrown: unknown): CcpError | undefined {
  const modules = join(own, 'node_modules');
  const check = join(own, 'ci/check-modules.ts');
  if (!existsSync(check)) return undefined;
  const { status } = spawnSync(process.execPath, [check, join(own, 'package-lock.json'), modules]);
  if (status !== 1) return undefined;
  return new CcpError({
    code: 'machine-modules',
    message: `npm packages in ${modules} are damaged: ${messageOf(thrown)}`,
    hint: `run: rm -rf ${modules}; the next ccp installs them again`,
    cause: thrown,
  });
}
