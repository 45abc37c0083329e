import { Option } from 'commander';
import { CcpError, counted } from '#core';
import type { CommandDefinition } from '../command.ts';
import { parseCount } from '../options.ts';
import { megabytes } from '../report/text.ts';

export interface CacheFlags {
  readonly days?: number;
}

const DAY_MS = 86_400_000;

/**
 * `ccp cache [prune]`: shows the size of the cache; prune deletes unused git mirrors and inputs
 * that are in no lock.
 */
export const cache: CommandDefinition<CacheFlags> = {
  usage: 'cache [action]',
  description: 'show the size of the input cache (show) or delete unused inputs from it (prune)',
  options: [
    new Option(
      '--days <number>',
      'with prune: delete inputs that are in no lock file and unused for this number of days (default: 30)',
    ).argParser(parseCount),
  ],
  examples: ['ccp cache', 'ccp cache prune --days 30'],
  run: async ({ root, output, flags }, [action = 'show'], { days }) => {
    const { openCache } = await import('#fetch');
    const { lockedInputs } = await import('../compose/locked-inputs.ts');
    const { openProject } = await import('../compose/plan.ts');
    const { cacheFolder } = await import('../compose/settings.ts');
    if (action !== 'show' && action !== 'prune')
      throw new CcpError({
        code: 'usage',
        message: `unknown action "${action}"`,
        hint: 'use show or prune',
      });
    if (days !== undefined && action !== 'prune')
      throw new CcpError({
        code: 'usage',
        message: '--days is only valid with prune',
        hint: `ccp cache prune --days ${days}`,
      });
    const project = openProject(root, flags.series);
    const opened = openCache({ folder: cacheFolder(project.settings) });
    const freed =
      action === 'prune'
        ? await opened.prune({ ...lockedInputs(root), olderThanMs: (days ?? 30) * DAY_MS })
        : undefined;
    const usage = await opened.usage();
    const freedText = freed === undefined ? '' : `, ${megabytes(freed)} freed`;
    output.result(
      `${usage.folder}: ${counted(usage.entries, 'input')}, ${megabytes(usage.size)}${freedText}`,
      { ...usage, freed },
    );
    return 0;
  },
};
