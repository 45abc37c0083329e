import { Option } from 'commander';
import { CcpError } from '#core';
import type { CommandDefinition } from '../command.ts';

export interface LockFlags {
  readonly check?: boolean;
  readonly update?: boolean;
}

/**
 * `ccp lock`: resolves and writes locks; with `--check` only reports locks that are out of date.
 * Both report expired overrides.
 */
export const lock: CommandDefinition<LockFlags> = {
  usage: 'lock [images...]',
  description: 'resolve exact versions of all inputs and write lock files',
  options: [
    new Option('--check', 'write nothing; report lock files that are out of date'),
    new Option('--update', 'update locked inputs to newer versions'),
  ],
  examples: ['ccp lock --check', 'ccp lock keystone --series 2026.1', 'ccp lock --update'],
  series: 'each',
  run: async (context, names, flags) => {
    if (flags.check === true && flags.update === true)
      throw new CcpError({
        code: 'usage',
        message: '--check and --update cannot be used together',
      });
    const { checkLockFiles, writeLockFiles } = await import('../compose/lock-files.ts');
    return flags.check === true
      ? checkLockFiles(context, names)
      : writeLockFiles(context, names, flags.update === true);
  },
};
