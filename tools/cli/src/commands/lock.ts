import { Option } from 'commander';
import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';

export interface LockFlags {
  readonly check?: boolean;
  readonly update?: boolean;
  readonly outdated?: boolean;
}

/**
 * `ccp lock`: resolves and writes locks; with `--check` only reports locks that are out of date,
 * and with `--outdated` the changes of an update. Locks and checks report expired overrides.
 */
export const lock: CommandDefinition<LockFlags> = {
  usage: 'lock [images...]',
  description: 'resolve exact versions of all inputs and write lock files',
  options: [
    new Option('--check', 'write nothing; report lock files that are out of date'),
    new Option('--update', 'update locked inputs to newer versions'),
    new Option('--outdated', 'write nothing; show the changes that --update would make'),
  ],
  examples: [
    'ccp lock --check',
    'ccp lock keystone --series 2026.1',
    'ccp lock --outdated',
    'ccp lock --update',
  ],
  series: 'each',
  run: async (context, names, flags) => {
    const [first, second] = (['check', 'update', 'outdated'] as const).filter(
      (name) => flags[name] === true,
    );
    if (second !== undefined)
      throw new CcpError({
        code: 'usage',
        message: `--${first} and --${second} cannot be used together`,
        hint: 'leave out one of them',
      });
    if (first === 'outdated') {
      const { showOutdatedLocks } = await import('../compose/outdated-locks.ts');
      return showOutdatedLocks(context, names);
    }
    const { checkLockFiles, writeLockFiles } = await import('../compose/lock-files.ts');
    return first === 'check'
      ? checkLockFiles(context, names)
      : writeLockFiles(context, names, first === 'update');
  },
};
